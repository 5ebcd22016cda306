import type { CSSProperties } from 'react'
import { type Format, useFormat } from '../../format/format.ts'
import { Empty } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'
import css from './retention.module.css'
import type { Retained } from './retention.tsx'

interface Props {
  retained: Retained
  /** What stands in the cells; the other one is in the tooltip. */
  shows: 'rate' | 'value'
}

/** Percent: lower rates never become the darkest shade. */
const LEAST_MOST = 10

/** A row for each cohort, a column for each later period; the darker a cell, the more came back or stayed. */
export function CohortTable({ retained, shows }: Props) {
  const { retention: text } = useText()
  const format = useFormat()
  const { measure, period, left_out: leftOut } = retained
  // The range may begin long before the first visitor.
  const first = retained.cohorts.findIndex(({ size }) => size > 0)
  const cohorts = first < 0 ? [] : retained.cohorts.slice(first)
  const periods = Math.max(0, ...cohorts.map(({ periods: later }) => later.length))
  // The highest rate is the darkest one, so that low ones are told apart, too.
  const most = Math.max(LEAST_MOST, ...cohorts.flatMap(({ periods: later }) => later.map(({ rate }) => rate)))
  const isMrr = measure === 'mrr'
  if (cohorts.length === 0) return <Empty />
  const write = isMrr ? format.money : format.exact
  const cellOf = (value: number, rate: number) => (shows === 'rate' ? format.percent(rate) : write(value))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also with keys */}
      <section className={css.scroll} tabIndex={0} aria-label={text.title}>
        <table className={`${css.table} ${measure === 'visitors' ? css.traffic : css.money}`}>
          <thead>
            <tr>
              <th scope="col">{text.began[period]}</th>
              <th scope="col" className={css.number}>
                {text.size[measure]}
              </th>
              {isMrr && (
                <th scope="col" className={css.number}>
                  {text.base}
                </th>
              )}
              {Array.from({ length: periods }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: later periods in their order
                <th key={index} scope="col" className={css.center}>
                  {`+${index + 1}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className={css.all}>
              <th scope="row">{text.average}</th>
              <td className={css.number}>{format.exact(cohorts.reduce((sum, { size }) => sum + size, 0))}</td>
              {isMrr && (
                <td className={css.number}>
                  {format.money(cohorts.reduce((sum, { base }) => sum + base, 0))}
                </td>
              )}
              {averagesOf(retained, periods).map((average, index) => {
                const rate = average && (100 * average.value) / average.base
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: later periods in their order
                  <td key={index} className={css.cell} style={shade((rate ?? 0) / most)}>
                    {average && rate !== undefined && cellOf(average.value, rate)}
                  </td>
                )
              })}
            </tr>
            {cohorts.map(({ label, size, base, periods: later }) => (
              <tr key={label}>
                <th scope="row">{labelOf(format, label, period)}</th>
                <td className={css.number}>{format.exact(size)}</td>
                {isMrr && <td className={css.number}>{format.money(base)}</td>}
                {Array.from({ length: periods }, (_, index) => {
                  const cell = later[index]
                  if (!cell || size === 0) {
                    // biome-ignore lint/suspicious/noArrayIndexKey: later periods in their order
                    return <td key={index} className={css.cell} />
                  }
                  const { value, rate, is_complete: isComplete } = cell
                  const exact = isMrr ? format.exactMoney(value) : format.exact(value)
                  const title = text.cell(`+${index + 1}`, exact, format.percent(rate))
                  return (
                    <td
                      // biome-ignore lint/suspicious/noArrayIndexKey: later periods in their order
                      key={index}
                      className={isComplete ? css.cell : `${css.cell} ${css.open}`}
                      style={shade(rate / most)}
                      title={isComplete ? title : `${title} · ${text.open}`}
                    >
                      {cellOf(value, rate)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {leftOut > 0 && <p className={css.note}>{text.leftOut(format.exact(leftOut))}</p>}
    </>
  )
}

/** MRR may be more than at the start, or negative. */
const shade = (share: number) => ({ '--rate': Math.max(0, Math.min(1, share)) }) as CSSProperties

const labelOf = (format: Format, label: string, period: Retained['period']) =>
  period === 'month' ? format.axis(label, 'month') : format.date(label)

interface Average {
  value: number
  base: number
}

/** Returns what all cohorts together keep in each later period, counting only those for which the period has ended. */
function averagesOf({ cohorts }: Retained, periods: number): (Average | undefined)[] {
  return Array.from({ length: periods }, (_, index) => {
    const ended = cohorts.filter(({ periods: later }) => later[index]?.is_complete)
    const base = ended.reduce((sum, cohort) => sum + cohort.base, 0)
    const value = ended.reduce((sum, { periods: later }) => sum + later[index]!.value, 0)
    return base === 0 ? undefined : { value, base }
  })
}
