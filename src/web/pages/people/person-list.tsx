import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { usePage } from '../../state/page.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { type Kind, type PeopleSort, usePersonColumns } from './person-columns.tsx'
import { UserSearch } from './user-search.tsx'

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
  const list = useRead(['people', query], signal => api.stats.people.query(query, { signal }))
  const onSort = (next: PeopleSort) => change({ sort: next === 'last_seen' ? null : next, page: null })
  return (
    <>
      {isUsers && <UserSearch />}
      <Answer read={list}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={isUsers ? people.noUsers : people.noVisitors}>
              {isUsers && search === '' && <p>{people.noUsersHint}</p>}
            </Empty>
          ) : (
            <>
              <DataTable
                label={people.tabs[kind]}
                columns={columns}
                rows={data}
                keyOf={row => (isUsers ? row.user_id : row.visitor_id)}
                isEven
                {...(isUsers && { sort, order: 'desc' as const, onSort })}
              />
              <Pager meta={meta} onPage={onPage} />
            </>
          )
        }
      </Answer>
    </>
  )
}
