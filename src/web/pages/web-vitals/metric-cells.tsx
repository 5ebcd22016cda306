import type { Outputs } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { Change } from '../../parts/figures.tsx'
import { useText } from '../../text/text.tsx'
import { type Measured, type Rating, ratingOf, useVitalText, VITALS, type Vital } from './vitals.ts'
import css from './web-vitals.module.css'

interface Props {
  vitals: Outputs['stats']['webVitals']
  chosen: Vital
  onChoose(metric: Vital): void
}

/** The metrics with their numbers, which choose what the rest of the page is about. */
export function MetricCells({ vitals, chosen, onChoose }: Props) {
  const { explore } = useText()
  const { vitals: text } = explore
  const { exact } = useFormat()
  const write = useVitalText()
  return (
    <fieldset className={css.cells}>
      <legend className="only-read">{text.choose}</legend>
      {VITALS.map(metric => {
        const { p75, samples, ...shares } = vitals[metric]
        const before = vitals.previous?.[metric].p75
        const rating = p75 === null ? undefined : ratingOf(metric, p75)
        return (
          <button
            key={metric}
            type="button"
            className={css.cell}
            aria-pressed={metric === chosen}
            title={`${text.metrics[metric].name}: ${text.metrics[metric].meaning}`}
            onClick={() => onChoose(metric)}
          >
            <span className={css.name}>{metric.toUpperCase()}</span>
            <span className={css.number}>
              {write(metric, p75)}
              {p75 !== null && before != null && (
                <small>
                  <Change now={p75} before={before} isInverse />
                </small>
              )}
            </span>
            <span className={css.rating}>
              {rating === undefined ? text.noSamples : <i className={css[rating]} />}
              {rating !== undefined && text[rating]}
            </span>
            <Shares measured={shares} />
            <span className={css.samples}>{text.ofSamples(exact(samples))}</span>
          </button>
        )
      })}
    </fieldset>
  )
}

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
