import { useFormat } from '../../format/format.ts'
import { Button } from '../../parts/form/button.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './imported.module.css'
import type { Imported } from './imported.ts'

/** Says from where and of which days the overview has imported totals; leaves them out, or includes them again. */
export function ImportedMark({ imported }: { imported: Imported | undefined }) {
  const { overview, common } = useText()
  const text = overview.imported
  const { totals, setTotals } = useQuestion()
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
  const shown = imported?.used || !imported?.previous?.used ? imported : imported.previous
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
