import { useState } from 'react'
import { useText } from '../../text/text.tsx'
import { Button } from './button.tsx'

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
