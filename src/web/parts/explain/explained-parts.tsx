import { useFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import css from './explain-panel.module.css'
import type { Explanation } from './explain-panel.tsx'
import { isAmount, useTermText } from './term-text.ts'

/** Parts that are listed one by one; earlier ones are one line. */
const MOST = 12

type Values = Explanation['terms']

/** The parts of a number over time. */
export function ExplainedParts({ answer }: { answer: Explanation }) {
  const { explain } = useText()
  const format = useFormat()
  const write = useTermText()
  const { terms, before, overlap } = answer
  const names = Object.keys(terms)
  const labels: Record<string, string> = explain.terms
  const buckets = [...answer.buckets].reverse()
  const shown = buckets.slice(0, MOST)
  const others = buckets.slice(MOST)
  const isSome = (values: Values) => Object.values(values).some(value => value !== 0)
  const dateOf = (start: string) => (start.includes('T00:00:00') ? format.date(start) : format.time(start))
  const line = (key: string, label: string, values: Values, sign = '') => (
    <tr key={key}>
      <th scope="row">{label}</th>
      {names.map(name => (
        <td key={name} className={isAmount(name) ? css.money : undefined}>
          {values[name] === undefined ? '' : `${sign}${write(name, values[name])}`}
        </td>
      ))}
    </tr>
  )
  return (
    <>
      <h3>{explain.parts}</h3>
      <div className={css.scroll}>
        <table className={css.table} aria-label={explain.parts}>
          <thead>
            <tr>
              <th scope="col">{explain.part}</th>
              {names.map(name => (
                <th key={name} scope="col">
                  {labels[name] ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ start, values }) => line(start, dateOf(start), values))}
            {others.length > 0 &&
              line('others', explain.otherParts(format.exact(others.length)), sumOf(names, others))}
            {isSome(before) && line('before', explain.before, before)}
            {isSome(overlap) && line('overlap', explain.overlap, overlap, '−')}
          </tbody>
          <tfoot>{line('total', explain.total, terms)}</tfoot>
        </table>
      </div>
    </>
  )
}

const sumOf = (names: string[], parts: { values: Values }[]): Values =>
  Object.fromEntries(
    names.map(name => {
      const sum = parts.reduce((all, { values }) => all + BigInt(values[name] ?? 0), 0n)
      return [name, Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum)]
    }),
  )
