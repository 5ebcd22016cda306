import type { Outputs } from '../../api/client.ts'
import type { Read } from '../../api/use-read.ts'
import { drawnPart } from '../../chart/series.ts'
import { TimeChart } from '../../chart/time-chart.tsx'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { Answer, Empty, Skeleton } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EVENT_TYPES, type EventType } from '../../visits/event-mark.tsx'
import { useTypes } from './event-reads.ts'
import css from './events.module.css'

type Series = Outputs['stats']['eventsTimeseries']

/** Types of events with their numbers, which choose what the chart under them adds up. */
export function EventSeries({ read }: { read: Read<Series> }) {
  const { events } = useText()
  const { chosen } = useTypes()
  const { exact } = useFormat()
  const { period } = useQuestion()
  return (
    <Card label={events.overTime}>
      <Answer read={read} placeholder={<Skeleton rows={2} height={140} />}>
        {data => {
          const shown = data.types.filter(type => chosen.includes(type))
          return (
            <>
              <TypeChips series={data} />
              {shown.length === 0 ? (
                <Empty title={data.types.length === 0 ? events.none : events.noneChosen} />
              ) : (
                <TimeChart
                  title={events.overTime}
                  labels={data.labels}
                  group={data.group}
                  lines={[
                    {
                      name: shown.length === 1 ? events.types[shown[0]!] : events.count,
                      values: data.labels.map((_, index) => sumAt(data, shown, index)),
                      tone: 'traffic',
                      format: exact,
                      ...drawnPart(data.labels, period.range),
                    },
                  ]}
                />
              )}
            </>
          )
        }}
      </Answer>
    </Card>
  )
}

function TypeChips({ series }: { series: Series }) {
  const { events } = useText()
  const { count, exact } = useFormat()
  const { chosen, toggle } = useTypes()
  return (
    <fieldset className={css.chips}>
      <legend className="only-read">{events.choose}</legend>
      {EVENT_TYPES.filter(type => series.types.includes(type)).map(type => {
        const total = totalOf(series, type)
        return (
          <button
            key={type}
            type="button"
            className={css.chip}
            aria-pressed={chosen.includes(type)}
            onClick={() => toggle(type)}
          >
            {events.types[type]} <span title={exact(total)}>{count(total)}</span>
          </button>
        )
      })}
    </fieldset>
  )
}

const totalOf = ({ series }: Series, type: EventType): number =>
  (series[type] ?? []).reduce((sum, value) => sum + value, 0)

const sumAt = ({ series }: Series, types: readonly EventType[], index: number): number =>
  types.reduce((sum, type) => sum + (series[type]?.[index] ?? 0), 0)
