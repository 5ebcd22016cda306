import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import { Answer } from '../answer.tsx'
import { Select } from '../form/select.tsx'
import type { Explained, ExplainInput } from './explain-button.tsx'
import css from './explain-panel.module.css'
import { ExplainedParts } from './explained-parts.tsx'
import { ExplainedRows } from './explained-rows.tsx'

export type Explanation = Outputs['stats']['explain']

interface Props {
  ask: Omit<ExplainInput, 'metric'>
  numbers: readonly [Explained, ...Explained[]]
  /** Closes what it stands in when a link is followed. */
  onLeave(): void
}

/** A number with its rule, what it covers, its parts, and the entries behind it. */
export default function ExplainPanel({ ask, numbers, onLeave }: Props) {
  const { explain } = useText()
  const [chosen, setChosen] = useState(numbers[0].metric)
  const number = numbers.find(({ metric }) => metric === chosen) ?? numbers[0]
  const query = { ...ask, metric: number.metric }
  const read = useRead(['explain', query], signal => api.stats.explain.query(query, { signal }), {
    keep: false,
  })
  return (
    <div className={css.panel}>
      {numbers.length > 1 && (
        <Select
          label={explain.metric}
          value={number.metric}
          options={numbers.map(({ metric, name }) => ({ value: metric, label: name }))}
          onChange={setChosen}
        />
      )}
      <Answer read={read}>
        {answer => (
          <>
            <Rule answer={answer} number={number} />
            <ExplainedParts answer={answer} />
            {answer.rows && (
              <ExplainedRows key={number.metric} first={answer.rows} query={query} onLeave={onLeave} />
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

function Rule({ answer, number }: { answer: Explanation; number: Explained }) {
  const { explain } = useText()
  const format = useFormat()
  const { range, rule, details_from: gone } = answer
  const names: Record<string, string> = explain.terms
  // Names of terms as people know them; those that others contain come first.
  const formula = Object.keys(answer.terms)
    .sort((a, b) => b.length - a.length)
    .reduce(
      (text, term) => text.replaceAll(new RegExp(`\\b${term}\\b`, 'g'), names[term] ?? term),
      rule.formula,
    )
  return (
    <>
      <p className={css.number}>
        <strong>{answer.number === null ? (answer.number_exact ?? '–') : number.write(answer.number)}</strong>
        <span>{number.rule}</span>
      </p>
      <dl className={css.facts}>
        <dt>{explain.formula}</dt>
        <dd>{formula}</dd>
        <dt>{explain.covers}</dt>
        <dd title={`${range.start} – ${range.end} UTC`}>
          {format.time(range.start)} – {format.time(range.end)}
          <small>{explain.zone(range.timezone)}</small>
        </dd>
      </dl>
      {gone && <p className={css.note}>{explain.detailsGone(format.date(gone))}</p>}
    </>
  )
}
