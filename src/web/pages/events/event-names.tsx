import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { NONE } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

const MOST = 12

/** Events of the period by name, without the filter on names: they stay to choose from, whichever is chosen. */
export function useEventNames() {
  const { input } = useQuestion()
  const { event_name: _, ...others } = input
  // Pageviews have no name, and take a row.
  const query = { ...others, dimension: 'event_name' as const, per_page: MOST + 1 }
  return useRead(['event-names', query], signal => api.stats.breakdown.query(query, { signal }))
}

/** Events by name. A click narrows the page to one of them, and another one back. */
export function EventNames({ chosen }: { chosen: readonly string[] }) {
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
          const named = data.filter(({ value }) => value !== NONE).slice(0, MOST)
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
