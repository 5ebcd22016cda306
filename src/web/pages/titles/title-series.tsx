import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { drawnPart } from '../../chart/drawn.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

const LONGEST_SHOWN = 200

/** Visits that saw a title, over time. */
export function TitleSeries({ title }: { title: string }) {
  const { common, explore } = useText()
  const { exact } = useFormat()
  const { input, period } = useQuestion()
  const series = useRead(['title-series', title, input], signal =>
    api.stats.pageTitlesTimeseries.query({ ...input, title }, { signal }),
  )
  const name = explore.titles.chart(title.slice(0, LONGEST_SHOWN))
  return (
    <Card title={<HostileText>{name}</HostileText>}>
      <Answer read={series} placeholder={<Skeleton rows={1} height={240} />}>
        {({ labels, values, group }) => (
          <TimeChart
            title={common.metrics.sessions}
            labels={labels}
            group={group}
            lines={[
              {
                name: common.metrics.sessions,
                values,
                tone: 'traffic',
                format: exact,
                ...drawnPart(labels, period.range),
              },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}
