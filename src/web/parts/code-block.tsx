import css from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'

/** Code to copy. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className={css.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <section tabIndex={0} className={css.scroll} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <div className={css.copy}>
        <CopyButton text={code} />
      </div>
    </div>
  )
}
