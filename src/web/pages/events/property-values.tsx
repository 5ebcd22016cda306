import type { Outputs } from '../../api/client.ts'
import type { Read } from '../../api/use-read.ts'
import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EVENT_TYPES } from '../../visits/event-mark.tsx'
import { useEventNames } from './event-reads.ts'
import css from './events.module.css'

type Row = Outputs['stats']['propertyBreakdown']['rows'][number]

/** Names of events are as long as the API allows. */
const LONGEST = 255

interface Props {
  chosen: string | undefined
  /** All types over time, under the same filters. */
  series: Read<Outputs['stats']['eventsTimeseries']>
}

/**
 * What the events of one name carried: of the chosen one, else of the most frequent one with a name of its own. A click on a value
 * filters by it.
 */
export function PropertyValues({ chosen, series }: Props) {
  const { events } = useText()
  const names = useEventNames().data?.data ?? []
  const usual = names.find(({ value }) => value !== NONE && !isType(value))?.value
  const event = chosen ?? usual
  const isAskable = event !== undefined && event.length <= LONGEST
  return (
    <Card title={isAskable ? <HostileText>{events.propertiesOf(event)}</HostileText> : events.properties}>
      {isAskable ? <Values event={event} series={chosen === undefined ? undefined : series} /> : <Empty />}
    </Card>
  )
}

const isType = (name: string) => EVENT_TYPES.some(type => type === name)

interface ValuesProps {
  event: string
  /** Of a chosen event. */
  series: Props['series'] | undefined
}

function Values({ event, series }: ValuesProps) {
  const { events } = useText()
  const { input } = useQuestion()
  // The filter leaves only hits of the chosen name: they say its type.
  const type = series?.data?.types.find(each => each !== 'pageview')
  const query = { ...input, event_type: type ?? 'event', event_name: event }
  const read = useStats('propertyBreakdown', query, {
    enabled: series === undefined || (series.data !== undefined && !series.isOld),
  })
  return (
    <Answer read={read}>
      {({ rows }) => {
        if (rows.length === 0) return <Empty title={events.noProperties} />
        return [...byKey(rows)].map(([key, values]) => <Property key={key} name={key} rows={values} />)
      }}
    </Answer>
  )
}

const MOST = 8

function Property({ name, rows }: { name: string; rows: readonly Row[] }) {
  const { common } = useText()
  const { count, exact } = useFormat()
  const { filters, setFilters } = useQuestion()
  const isOf = (key: string) =>
    filters.some(filter => filter.name === 'prop_key' && filter.values.includes(key))
  const chosen =
    filters.find(filter => filter.name === 'prop_value' && filter.operator === 'is')?.values ?? []
  const choose = (value: string) => {
    const others = filters.filter(filter => filter.name !== 'prop_key' && filter.name !== 'prop_value')
    if (isOf(name) && chosen.includes(value)) return setFilters(others)
    setFilters([
      ...others,
      { name: 'prop_key', operator: 'is', values: [name] },
      { name: 'prop_value', operator: 'is', values: [value] },
    ])
  }
  return (
    <div className={css.property}>
      <RankList
        label={name}
        heads={[name.slice(0, 100), common.short.visitors]}
        rows={rows.slice(0, MOST).map(({ value, visitors }) => ({
          key: value,
          name: `${name} = ${value}`,
          label: <HostileText>{value || common.none}</HostileText>,
          share: visitors / Math.max(1, rows[0]!.visitors),
          numbers: [{ shown: count(visitors), exact: exact(visitors) }],
          onChoose: () => choose(value),
          isChosen: isOf(name) && chosen.includes(value),
        }))}
      />
    </div>
  )
}

function byKey(rows: readonly Row[]): Map<string, Row[]> {
  const keys = new Map<string, Row[]>()
  for (const row of rows) keys.set(row.key, [...(keys.get(row.key) ?? []), row])
  return keys
}
