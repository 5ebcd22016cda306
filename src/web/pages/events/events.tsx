import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card, CardGrid } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { List } from '../../parts/lists/list.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventTable } from '../../visits/event-table.tsx'
import { MOST_NAMES, useEventNames, useEventSeries, useTypes } from './event-reads.ts'
import { EventSeries } from './event-series.tsx'
import { PropertyValues } from './property-values.tsx'

/** Events of the period: how many of each type and name, what they carried, and each of them. */
export default function Events() {
  const { common } = useText()
  const { filters } = useQuestion()
  const series = useEventSeries()
  const named = filters.find(({ name, operator }) => name === 'event_name' && operator === 'is')
  const chosen = named?.values.length === 1 ? named.values[0] : undefined
  return (
    <>
      <h1 className="only-read">{common.nav.events}</h1>
      <EventSeries read={series} />
      <CardGrid>
        <EventNames chosen={named?.values ?? []} />
        <PropertyValues chosen={chosen} series={series} />
        <EventLog />
      </CardGrid>
    </>
  )
}

/** Events by name. A click narrows the page to one of them, and another one back. */
function EventNames({ chosen }: { chosen: readonly string[] }) {
  const { common, events } = useText()
  const { count, exact } = useFormat()
  const { filters, setFilters } = useQuestion()
  const read = useEventNames()
  const choose = (value: string) => {
    const rest = filters.filter(({ name, operator }) => name !== 'event_name' || operator !== 'is')
    const isOnly = chosen.length === 1 && chosen[0] === value
    setFilters(isOnly ? rest : [...rest, { name: 'event_name', operator: 'is', values: [value] }])
  }
  return (
    <Card title={events.byName}>
      <Answer read={read}>
        {({ data }) => {
          const named = data.filter(({ value }) => value !== NONE).slice(0, MOST_NAMES)
          if (named.length === 0) return <Empty />
          return (
            <RankList
              label={events.byName}
              heads={[events.name, common.short.visitors]}
              rows={named.map(({ value, visitors }) => ({
                key: value,
                name: value,
                label: <HostileText>{value}</HostileText>,
                share: visitors / Math.max(1, ...named.map(each => each.visitors)),
                numbers: [{ shown: count(visitors), exact: exact(visitors) }],
                onChoose: () => choose(value),
                isChosen: chosen.includes(value),
              }))}
            />
          )
        }}
      </Answer>
    </Card>
  )
}

const PER_PAGE = 25

/** Every event of the chosen types, the newest first. */
function EventLog() {
  const { events } = useText()
  const { input } = useQuestion()
  const { chosen } = useTypes()
  const [page, onPage] = usePage()
  const hasTypes = chosen.length > 0
  const query = { ...input, types: [...chosen], page, per_page: PER_PAGE }
  const read = useStats('events', query, {
    enabled: hasTypes,
  })
  return (
    <Card
      title={events.log}
      isWide
      action={hasTypes && <CsvButton path="stats/events" query={query} name="events" />}
    >
      {hasTypes ? (
        <List read={read} empty={events.none} onPage={onPage}>
          {rows => <EventTable label={events.log} events={rows} />}
        </List>
      ) : (
        <Empty title={events.noneChosen} />
      )}
    </Card>
  )
}
