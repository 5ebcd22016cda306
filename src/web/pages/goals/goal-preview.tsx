import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useFailureText } from '../../parts/states.tsx'
import { rangeInput } from '../../state/period.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Definition } from './goal-types.ts'
import css from './goals.module.css'

const TYPING_MS = 350

/** What a goal with this definition would have counted in the period, and by which values. */
export function GoalPreview({ definition }: { definition: Definition }) {
  const { goals: text, common } = useText()
  const { id } = useSite()
  const { period } = useQuestion()
  const format = useFormat()
  const failureText = useFailureText()
  // The name changes no number.
  const wanted = useSettled(JSON.stringify({ ...definition, display_name: null }))
  const range = rangeInput(period)
  const { data, failure, isOld } = useRead(['goal-preview', id, range, wanted], signal =>
    api.stats.goalPreview.query(
      { siteKey: id, ...range, definition: JSON.parse(wanted) as Definition },
      { signal },
    ),
  )
  const reasons = Object.values(failure?.fields ?? {}).flat()
  return (
    <div className={css.preview} role="status">
      {failure ? (
        <p>{failure.kind === 'invalid' && reasons.length > 0 ? reasons.join(' · ') : failureText(failure)}</p>
      ) : data === undefined ? (
        <p>{common.states.loading}</p>
      ) : (
        <div className={isOld ? css.old : undefined}>
          <p>
            {text.wouldHave}{' '}
            <strong>
              {text.previewCount(
                format.exact(data.conversions),
                common.visitors(format.exact(data.visitors)),
              )}
            </strong>{' '}
            ({format.percent(data.conversion_rate)})
          </p>
          <ul className={css.examples} aria-label={text.matched}>
            {data.examples.map(({ value, conversions }) => (
              <li key={value}>
                <HostileText>{value}</HostileText>
                <span>{format.exact(conversions)}</span>
              </li>
            ))}
          </ul>
          {data.values > data.examples.length && (
            <p className={css.more}>{text.moreValues(format.exact(data.values - data.examples.length))}</p>
          )}
        </div>
      )}
    </div>
  )
}

/** Returns the value that has not changed for a while. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
