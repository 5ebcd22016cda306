import type { Outputs } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { Button } from '../../parts/form/button.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './overview.module.css'

/** Says the days and the origin of the overview's imported totals; leaves them out, or includes them again. */
export function ImportedMark({ imported }: { imported: Imported | undefined }) {
  const { overview, common } = useText()
  const text = overview.imported
  const { period, totals, setTotals } = useQuestion()
  const format = useFormat()
  if (!totals.imported) {
    return (
      <p className={css.mark}>
        <span>{text.excluded}</span>
        <Button kind="quiet" className={css.switch} onClick={() => setTotals(true)}>
          {text.include}
        </Button>
      </p>
    )
  }
  // The compared period may reach into imported days though this one does not.
  const before = period.compare === 'none' ? undefined : imported?.previous
  const shown = imported?.used || !before?.used ? imported : before
  if (!shown || shown.why_not === 'no_days') return null
  if (shown.why_not) return <p className={css.mark}>{text.whyNot[shown.why_not]}</p>
  const missing = shown.missing.map(name => common.metrics[name as keyof typeof common.metrics] ?? name)
  const day = (date: string | null) => format.day(date!)
  return (
    <p className={css.mark}>
      <span title={[text.sumOfDays, text.hatched].join(' ')}>
        {text.included(shown.sources.join(', '), day(shown.from), day(shown.to))}
      </span>
      {missing.length > 0 && <span>{text.missing(missing.join(', '))}</span>}
      <Button kind="quiet" className={css.switch} onClick={() => setTotals(false)}>
        {text.leaveOut}
      </Button>
    </p>
  )
}

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

type Imported = NonNullable<Outputs['stats']['overview']['imported']>

/** Returns the buckets that have imported days; undefined without any. */
export function shadedPart(
  labels: readonly string[],
  imported: Imported | undefined,
): { from: number; to: number } | undefined {
  if (!imported?.used) return undefined
  const days = labels.map(label => label.slice(0, 10))
  const to = days.findLastIndex(day => day <= imported.to!)
  const from = days.findLastIndex(day => day <= imported.from!)
  return to < 0 ? undefined : { from: Math.max(0, from), to }
}
