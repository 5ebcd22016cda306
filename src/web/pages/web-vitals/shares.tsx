import { useFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import type { Measured, Rating } from './vitals.ts'
import css from './web-vitals.module.css'

type Shared = Pick<Measured, 'good' | 'needs_improvement' | 'poor'>

/** How many of the values are good, how many are not, and how many are poor, as one bar. */
export function Shares({ measured }: { measured: Shared }) {
  const { explore } = useText()
  const { vitals: text } = explore
  const { percent } = useFormat()
  const parts: [Rating, number][] = [
    ['good', measured.good],
    ['needsImprovement', measured.needs_improvement],
    ['poor', measured.poor],
  ]
  const label = parts.map(([rating, share]) => text.share(text[rating], percent(share))).join(', ')
  return (
    <span className={css.shares} role="img" aria-label={label} title={label}>
      {parts.map(([rating, share]) =>
        share === 0 ? null : <i key={rating} className={css[rating]} style={{ flexGrow: share }} />,
      )}
    </span>
  )
}
