import { drawnPart } from '../../chart/drawn.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { useErrorSeries } from './use-error-series.ts'

/** How often an error occurred over time. */
export function ErrorSeries({ error }: { error: string }) {
  const { errors } = useText()
  const { exact } = useFormat()
  const { period } = useQuestion()
  const series = useErrorSeries(error)
  return (
    <Answer read={series} placeholder={<Skeleton rows={1} height={240} />}>
      {({ labels, group, series: { error: values } }) => (
        <TimeChart
          title={errors.overTime}
          labels={labels}
          group={group}
          lines={[
            {
              name: errors.occurrences,
              values,
              tone: 'traffic',
              format: exact,
              ...drawnPart(labels, period.range),
            },
          ]}
        />
      )}
    </Answer>
  )
}
