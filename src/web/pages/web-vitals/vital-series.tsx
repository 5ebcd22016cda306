import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { drawnPart } from '../../chart/drawn.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { LIMITS, useVitalText, type Vital } from './vitals.ts'
import css from './web-vitals.module.css'

/** The middle and the slow end of a metric over time. */
export function VitalSeries({ metric }: { metric: Vital }) {
  const { explore } = useText()
  const { vitals: text } = explore
  const write = useVitalText()
  const { input, period } = useQuestion()
  const read = useRead(['web-vitals-series', metric, input], signal =>
    api.stats.webVitalsTimeseries.query({ ...input, metric }, { signal }),
  )
  const { good, poor } = LIMITS[metric]
  const { name, meaning } = text.metrics[metric]
  const format = (value: number) => write(metric, value)
  // A bucket without samples has no value.
  const there = (values: readonly (number | null)[]) => values.map(value => value ?? Number.NaN)
  return (
    <>
      <h2 className={css.heading}>{name}</h2>
      <p className={css.meaning}>
        {meaning}. {text.limits(write(metric, good), write(metric, poor))}.
      </p>
      <Answer read={read} placeholder={<Skeleton rows={1} height={240} />}>
        {({ labels, group, p50, p75 }) => (
          <TimeChart
            title={text.overTime(name)}
            labels={labels}
            group={group}
            lines={[
              {
                name: text.p75,
                values: there(p75),
                tone: 'traffic',
                format,
                ...drawnPart(labels, period.range),
              },
              { name: text.p50, values: there(p50), tone: 'neutral', style: 'dashed', format },
            ]}
          />
        )}
      </Answer>
    </>
  )
}
