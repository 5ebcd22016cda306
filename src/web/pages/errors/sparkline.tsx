import css from './sparkline.module.css'

const WIDTH = 96
const HEIGHT = 24

/** A small series, without numbers: they stand beside it. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length)
  const width = Math.max(1, step - 1)
  const bars = values.map((value, index) => {
    const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2))
    return `M${index * step} ${HEIGHT}v${-height}h${width}v${height}z`
  })
  return (
    <svg
      className={css.spark}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      <path d={bars.join('')} />
    </svg>
  )
}
