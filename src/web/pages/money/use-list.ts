import { useAddress, usePage } from '../../state/address.ts'
import { usePaused } from '../../state/use-paused.ts'

/** What a list is asked for, kept in the address: what is searched, a status, a page and an order. */
export function useList<Sort extends string, Status extends string>(
  sorts: readonly Sort[],
  statuses: readonly Status[],
) {
  const { params, change } = useAddress()
  const [page, onPage] = usePage()
  const search = params.get('search') ?? ''
  const status = statuses.find(name => name === params.get('status'))
  const sort = sorts.find(name => name === params.get('list_sort')) ?? sorts[0]!
  const order: 'asc' | 'desc' = params.get('list_order') === 'asc' ? 'asc' : 'desc'
  const wanted = usePaused(search.trim())
  const set = (changes: Record<string, string | null>) =>
    change({ ...changes, page: null }, { replace: true })
  return {
    search,
    status,
    sort,
    order,
    onPage,
    query: { sort, order, page, ...(wanted !== '' && { search: wanted }), ...(status && { status }) },
    onSearch: (text: string) => set({ search: text === '' ? null : text }),
    onStatus: (name: string) => set({ status: name === '' ? null : name }),
    onSort: (next: Sort) =>
      set({ list_sort: next, list_order: next === sort && order === 'desc' ? 'asc' : null }),
  }
}
