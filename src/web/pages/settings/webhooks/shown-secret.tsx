import { CodeBlock } from '../../../parts/code-block.tsx'
import { Dialog } from '../../../parts/overlay/dialog.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'

/** The key of the signatures, which is shown this one time. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const { settings, webhooks: text } = useText()
  return (
    <Dialog open title={text.secret} onClose={onClose}>
      <div className={css.stack}>
        <p className={css.quiet}>{settings.onlyOnce}</p>
        <CodeBlock isWrapped code={secret} label={text.secret} />
        <p className={css.small}>{text.secretHint}</p>
      </div>
    </Dialog>
  )
}
