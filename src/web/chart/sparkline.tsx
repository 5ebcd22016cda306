import css from './sparkline.module.css'

const WIDTH = 290
const HEIGHT = 44
/** Room for the stroke. */
const EDGE = 2

/** The course of a number as a small line from zero up; dashes where there is nothing. Its numbers stand beside it. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(0, ...values)
  const path = most === 0 ? undefined : pathOf(values, most)
  return (
    <svg
      className={css.line}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {path === undefined ? (
        <line className={css.nothing} x1="0" x2={WIDTH} y1={HEIGHT - 6} y2={HEIGHT - 6} />
      ) : (
        <>
          <path className={css.area} d={`${path}L${WIDTH},${HEIGHT}L0,${HEIGHT}Z`} />
          <path className={css.stroke} d={path} />
        </>
      )}
    </svg>
  )
}

function pathOf(values: readonly number[], most: number): string {
  // A single value is a level line.
  const shown = values.length === 1 ? [values[0]!, values[0]!] : values
  const step = WIDTH / (shown.length - 1)
  return shown
    .map((value, index) => {
      const y = HEIGHT - EDGE - (value / most) * (HEIGHT - 2 * EDGE)
      return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join('')
}
