import type { Inputs } from '../../api/types.ts'
import { useAddress } from '../../state/address.ts'
import { remember, remembered } from '../../state/storage.ts'

type ListInput = Exclude<Inputs['sites']['list'], void>
export type ListPeriod = '24h' | '7d' | '30d'
export type ListSort = NonNullable<ListInput['sort']>

export const LIST_PERIODS: readonly ListPeriod[] = ['24h', '7d', '30d']
export const LIST_SORTS = [
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
