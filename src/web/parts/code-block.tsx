import { useState } from 'react'
import { useText } from '../text/text.tsx'
import css from './code-block.module.css'
import { Button } from './form/button.tsx'

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

/** Copies a text; says so on itself. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { actions } = useText().common
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await writeClipboard(text)
    setCopied(true)
  }
  return (
    <Button onClick={copy} onBlur={() => setCopied(false)} aria-live="polite">
      {isCopied ? actions.copied : (label ?? actions.copy)}
    </Button>
  )
}

/** Without https, browsers give pages no clipboard: a field that is selected still copies. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
