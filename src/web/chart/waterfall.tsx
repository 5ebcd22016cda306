import css from './waterfall.module.css'

interface Props {
  label: string
  /** Heads of the columns: what, the amount, and a further number. */
  heads: readonly [string, string, string]
  steps: readonly WaterfallStep[]
  format(value: number): string
  signed(value: number): string
  /** Said below when the bars do not begin at 0. */
  cutNote(amount: string): string
}

/** How a sum became another one: a bar for each change, hung where the one before ended. All numbers stand beside the bars. */
export function Waterfall({ label, heads, steps, format, signed, cutNote }: Props) {
  const { low, high } = cutOf(steps)
  const span = high - low || 1
  const percent = (value: number) => (100 * (value - low)) / span
  return (
    <>
      <table className={css.table} aria-label={label}>
        <thead className="only-read">
          <tr>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => {
            const { name, from, to, isTotal, note } = step
            const [left, right] = [percent(isTotal ? low : Math.min(from, to)), percent(Math.max(from, to))]
            const tone = isTotal ? css.total : to >= from ? css.gain : css.loss
            return (
              <tr key={name} className={isTotal ? css.sum : undefined}>
                <th scope="row">{name}</th>
                <td className={css.track} aria-hidden="true">
                  <div className={css.room}>
                    {right > left && (
                      <i
                        className={`${css.bar} ${tone} ${isTotal && low > 0 ? css.cut : ''}`}
                        style={{ left: `${left}%`, width: `${right - left}%` }}
                      />
                    )}
                    {index < steps.length - 1 && (
                      <i className={css.link} style={{ left: `${percent(to)}%` }} />
                    )}
                  </div>
                </td>
                <td className={!isTotal && from === to ? css.none : css.amount}>
                  {isTotal ? format(to) : signed(to - from)}
                </td>
                <td className={css.note}>{note}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {low > 0 && <p className={css.foot}>{cutNote(format(low))}</p>}
    </>
  )
}

/** A change from one sum to the next, or with `isTotal` a sum itself. */
export interface WaterfallStep {
  name: string
  from: number
  to: number
  isTotal?: boolean
  /** A further number, such as of customers. */
  note?: string
}

/** Share of the picture that changes shall fill at least. */
const LEAST_SHARE = 0.3

/**
 * Returns where the bars begin and end. They begin at 0, unless the changes were then too small to see: the bars of sums are then cut,
 * at a round number below all of them.
 */
function cutOf(steps: readonly WaterfallStep[]): { low: number; high: number } {
  const levels = steps.flatMap(({ from, to, isTotal }) => (isTotal ? [to] : [from, to]))
  const [least, most] = [Math.min(...levels), Math.max(...levels)]
  const high = Math.max(most, 0)
  if (least <= 0) return { low: Math.min(least, 0), high }
  const spread = most - least
  if (spread === 0 || spread >= LEAST_SHARE * most) return { low: 0, high }
  const wanted = least - spread / 2
  const unit = 10 ** Math.floor(Math.log10(Math.max(spread, 1)))
  return { low: Math.max(0, Math.floor(wanted / unit) * unit), high }
}
