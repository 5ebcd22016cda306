import { useText } from '../../text/text.tsx'
import css from './imported.module.css'
import type { Imported } from './imported.ts'

/** Says whether a card has imported totals, or why not where its period has some. */
export function ImportedLine({ imported }: { imported: Omit<Imported, 'previous'> | undefined }) {
  const { overview, common } = useText()
  const text = overview.imported
  if (!imported || imported.why_not === 'no_days') return null
  if (imported.why_not) return <p className={css.line}>{text.whyNot[imported.why_not]}</p>
  const missing = imported.missing.map(name => common.metrics[name as keyof typeof common.metrics] ?? name)
  const title = [text.sumOfDays, missing.length > 0 && text.missing(missing.join(', '))]
  return (
    <p className={css.line} title={title.filter(Boolean).join(' ')}>
      {text.inCard}
    </p>
  )
}
