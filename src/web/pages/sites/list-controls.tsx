import { useEffect, useState } from 'react'
import type { Inputs } from '../../api/client.ts'
import { useAddress } from '../../state/address.ts'
import { remember, remembered } from '../../state/storage.ts'
import { useText } from '../../text/text.tsx'
import css from './sites.module.css'

const TYPING_MS = 200

/** Search, order and period of the list of sites. */
export function ListControls({ view }: { view: ListView }) {
  const { sites: text } = useText()
  return (
    <>
      <Search view={view} />
      <select
        className={css.select}
        aria-label={text.sort}
        value={view.sort}
        onChange={event => view.setSort(event.target.value as ListSort)}
      >
        {LIST_SORTS.map(sort => (
          <option key={sort} value={sort}>
            {text.sorts[sort]}
          </option>
        ))}
      </select>
      <select
        className={css.select}
        aria-label={text.period}
        value={view.period}
        onChange={event => view.setPeriod(event.target.value as ListPeriod)}
      >
        {LIST_PERIODS.map(period => (
          <option key={period} value={period}>
            {text.periods[period]}
          </option>
        ))}
      </select>
    </>
  )
}

/** Searches when the person has stopped typing. */
function Search({ view }: { view: ListView }) {
  const { sites: text } = useText()
  const [typed, setTyped] = useState(view.search)
  const { search, setSearch } = view
  useEffect(() => setTyped(search), [search])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer, not a change of the address
  useEffect(() => {
    if (typed.trim() === search) return
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      className={css.search}
      placeholder={text.search}
      aria-label={text.searchLabel}
      value={typed}
      onChange={event => setTyped(event.target.value)}
    />
  )
}

type ListInput = Exclude<Inputs['sites']['list'], void>
export type ListPeriod = '24h' | '7d' | '30d'
type ListSort = NonNullable<ListInput['sort']>

const LIST_PERIODS: readonly ListPeriod[] = ['24h', '7d', '30d']
const LIST_SORTS = [
  'most_visitors',
  'fewest_visitors',
  'domain_asc',
  'domain_desc',
] as const satisfies readonly ListSort[]

const STORED = 'sites-period'

export interface ListView {
  period: ListPeriod
  sort: ListSort
  search: string
  setPeriod(period: ListPeriod): void
  setSort(sort: ListSort): void
  setSearch(search: string): void
}

/** What the address says about the list of sites. The last period is remembered. */
export function useListView(): ListView {
  const { params, change } = useAddress()
  const given = (params.get('period') ?? remembered(STORED)) as ListPeriod
  const sort = params.get('sort') as ListSort
  return {
    period: LIST_PERIODS.includes(given) ? given : '30d',
    sort: LIST_SORTS.includes(sort) ? sort : 'most_visitors',
    search: params.get('search') ?? '',
    setPeriod(period) {
      remember(STORED, period)
      change({ period })
    },
    setSort: next => change({ sort: next === 'most_visitors' ? null : next }),
    setSearch: search => change({ search: search === '' ? null : search }, { replace: true }),
  }
}
