import type { Inputs, Outputs } from '../../api/types.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { partOfPath } from '../../state/part-of-path.ts'
import { useText } from '../../text/text.tsx'
import { Amount } from '../../visits/amount.tsx'
import { Moment } from '../../visits/moment.tsx'
import { usePermitted } from '../../visits/permitted.ts'
import { Place } from '../../visits/place.tsx'
import { Who } from '../../visits/who.tsx'

type Row = Outputs['stats']['people']['data'][number]
export type Kind = NonNullable<Inputs['stats']['people']['kind']>
export type PeopleSort = NonNullable<Inputs['stats']['people']['sort']>

/** Columns of a list of people. A row of visitors leads to the visitor, also when they are identified. */
export function usePersonColumns(kind: Kind): Column<Row, PeopleSort>[] {
  const { common, filters, people } = useText()
  const format = useFormat()
  const pathOf = (row: Row) => `/people/${partOfPath(kind === 'users' ? row.user_id : row.visitor_id)}`
  const number = (value: number) => <span title={format.exact(value)}>{format.count(value)}</span>
  return usePermitted<Row, PeopleSort>([
    { name: 'who', label: people.who, cell: row => <Who actor={row} path={pathOf(row)} /> },
    {
      name: 'last',
      label: people.lastSeen,
      sort: 'last_seen',
      cell: row => (row.last_seen ? <Moment at={row.last_seen} /> : '–'),
    },
    {
      name: 'source',
      needs: 'sources',
      label: filters.names.source,
      isWide: true,
      cell: row => <HostileText>{row.source || '–'}</HostileText>,
    },
    {
      name: 'place',
      needs: 'locations',
      label: filters.names.country,
      isWide: true,
      cell: row => <Place country={row.country} city={row.city} />,
    },
    {
      name: 'sessions',
      label: common.metrics.sessions,
      isNumber: true,
      isWide: true,
      sort: 'sessions',
      cell: row => number(row.sessions),
    },
    {
      name: 'pageviews',
      label: people.pages,
      isNumber: true,
      isWide: true,
      cell: row => number(row.pageviews),
    },
    { name: 'events', label: people.events, isNumber: true, isWide: true, cell: row => number(row.events) },
    {
      name: 'revenue',
      needs: 'revenue',
      label: common.short.revenue,
      isNumber: true,
      isMoney: true,
      isWide: true,
      cell: row => <Amount minor={row.revenue} />,
    },
    {
      name: 'mrr',
      needs: 'revenue',
      label: people.mrr,
      isNumber: true,
      isMoney: true,
      isWide: true,
      cell: row => <Amount minor={row.mrr} />,
    },
  ])
}
