import css from './code-block.module.css'
import { CopyButton } from './form/copy-button.tsx'

interface Props {
  code: string
  label: string
  /** Breaks long lines, for addresses and secrets. */
  isWrapped?: boolean
}

/** Code to copy. */
export function CodeBlock({ code, label, isWrapped }: Props) {
  return (
    <div className={css.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <section tabIndex={0} className={css.scroll} aria-label={label}>
        <pre className={isWrapped ? css.wrapped : undefined}>{code}</pre>
      </section>
      <div className={css.copy}>
        <CopyButton text={code} />
      </div>
    </div>
  )
}
