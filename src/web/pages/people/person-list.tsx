import { useEffect, useState } from 'react'
import type { Inputs, Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { SearchInput } from '../../parts/form/choices.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, usePermitted } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { Empty } from '../../parts/states.tsx'
import { useAddress, usePage } from '../../state/address.ts'
import { partOfPath } from '../../state/places.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount, Count, Moment, Place } from '../../visits/cells.tsx'
import { Who } from '../../visits/who.tsx'

/** Visitors or identified users of the period, those who came last first. */
export function PersonList({ kind }: { kind: Kind }) {
  const { people } = useText()
  const { input } = useQuestion()
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const columns = usePersonColumns(kind)
  const isUsers = kind === 'users'
  const search = (isUsers && params.get('search')) || ''
  const sort: PeopleSort = isUsers && params.get('sort') === 'sessions' ? 'sessions' : 'last_seen'
  const query = { ...input, kind, sort, page, ...(search !== '' && { search }) }
  const list = useStats('people', query)
  const onSort = (next: PeopleSort) => change({ sort: next === 'last_seen' ? null : next, page: null })
  return (
    <>
      {isUsers && <UserSearch />}
      <ListTable
        read={list}
        empty={
          <Empty title={isUsers ? people.noUsers : people.noVisitors}>
            {isUsers && search === '' && <p>{people.noUsersHint}</p>}
          </Empty>
        }
        label={people.tabs[kind]}
        columns={columns}
        keyOf={row => (isUsers ? row.user_id : row.visitor_id)}
        isEven
        {...(isUsers && { sort, order: 'desc' as const, onSort })}
        onPage={onPage}
      />
    </>
  )
}

const PAUSE_MS = 300
const LONGEST = 255

/** Finds users by a part of their identifier or name, while the person types. */
function UserSearch() {
  const { people } = useText()
  const { params, change } = useAddress()
  const asked = params.get('search') ?? ''
  const [typed, setTyped] = useState(asked)
  useEffect(() => {
    if (typed === asked) return
    const timer = setTimeout(() => change({ search: typed || null, page: null }, { replace: true }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, asked, change])
  return <SearchInput label={people.searchUsers} value={typed} maxLength={LONGEST} onSearch={setTyped} />
}

type Row = Outputs['stats']['people']['data'][number]
type Kind = NonNullable<Inputs['stats']['people']['kind']>
type PeopleSort = NonNullable<Inputs['stats']['people']['sort']>

/** Columns of a list of people. A row of visitors leads to the visitor, also when they are identified. */
function usePersonColumns(kind: Kind): Column<Row, PeopleSort>[] {
  const { common, filters, people } = useText()
  const pathOf = (row: Row) => `/people/${partOfPath(kind === 'users' ? row.user_id : row.visitor_id)}`
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
      cell: row => <Count value={row.sessions} />,
    },
    {
      name: 'pageviews',
      label: people.pages,
      isNumber: true,
      isWide: true,
      cell: row => <Count value={row.pageviews} />,
    },
    {
      name: 'events',
      label: people.events,
      isNumber: true,
      isWide: true,
      cell: row => <Count value={row.events} />,
    },
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
