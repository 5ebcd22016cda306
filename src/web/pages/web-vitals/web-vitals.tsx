import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Causes } from './causes.tsx'
import { MetricCells } from './metric-cells.tsx'
import { VitalBreakdown } from './vital-breakdown.tsx'
import { VitalSeries } from './vital-series.tsx'
import { VITALS, type Vital } from './vitals.ts'

/** How fast the pages were for their visitors. */
export default function WebVitals() {
  const { common, explore } = useText()
  const { input, compare } = useQuestion()
  const { params, change } = useAddress()
  const metric = VITALS.find(name => name === params.get('metric')) ?? 'lcp'
  const choose = (name: Vital) => change({ metric: name === 'lcp' ? null : name, page: null })
  const query = { ...input, ...compare }
  const read = useRead(['web-vitals', query], signal => api.stats.webVitals.query(query, { signal }))
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
