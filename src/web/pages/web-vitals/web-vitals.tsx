import { useStats } from '../../api/use-stats.ts'
import { drawnPart } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { Answer, Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Causes } from './causes.tsx'
import { MetricCells } from './metric-cells.tsx'
import { VitalBreakdown } from './vital-breakdown.tsx'
import { LIMITS, useVitalText, VITALS, type Vital } from './vitals.ts'
import css from './web-vitals.module.css'

/** How fast the pages were for their visitors. */
export default function WebVitals() {
  const { common, explore } = useText()
  const { input, compare } = useQuestion()
  const { params, change } = useAddress()
  const metric = VITALS.find(name => name === params.get('metric')) ?? 'lcp'
  const choose = (name: Vital) => change({ metric: name === 'lcp' ? null : name, page: null })
  const query = { ...input, ...compare }
  const read = useStats('webVitals', query)
  return (
    <>
      <h1 className="only-read">{common.nav.webVitals}</h1>
      <Answer read={read} placeholder={<Skeleton rows={8} />}>
        {data =>
          VITALS.every(name => data[name].samples === 0) ? (
            <Card>
              <Empty title={explore.vitals.none}>
                <p>{explore.vitals.noneHint}</p>
              </Empty>
            </Card>
          ) : (
            <>
              <Card label={explore.vitals.choose}>
                <MetricCells vitals={data} chosen={metric} onChoose={choose} />
                <VitalSeries metric={metric} />
              </Card>
              <CardGrid>
                <VitalBreakdown metric={metric} />
                <Causes metric={metric} />
              </CardGrid>
            </>
          )
        }
      </Answer>
    </>
  )
}

/** The middle and the slow end of a metric over time. */
function VitalSeries({ metric }: { metric: Vital }) {
  const { explore } = useText()
  const { vitals: text } = explore
  const write = useVitalText()
  const { input, period } = useQuestion()
  const read = useStats('webVitalsTimeseries', { ...input, metric })
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
