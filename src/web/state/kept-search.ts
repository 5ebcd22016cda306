import { useRawSearch, withParams } from './address.ts'

/** Parameters that belong to one page alone. Period and filters go along from page to page. */
const OF_ONE_PAGE = [
  'page',
  'sort',
  'order',
  'search',
  'metric',
  'group',
  'tab',
  'types',
  'chosen',
  'by',
  'list',
  'status',
  'list_sort',
  'list_order',
  'funnel',
  'dimension',
  'value',
  'direction',
  'cohort',
  'measure',
  'period',
  'steps',
  'branches',
  'show',
]

/** Returns what other pages of the site take along from an address, with more parameters. */
function keptSearch(search: string, more: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(search)
  for (const name of OF_ONE_PAGE) params.delete(name)
  for (const [name, value] of Object.entries(more)) params.set(name, value)
  return withParams('', params)
}

/** Returns links to other pages of the site, with the period and the filters of this one. */
export function useLinks(): (path: string, more?: Readonly<Record<string, string>>) => string {
  const search = useRawSearch()
  return (path, more = {}) => `${path}${keptSearch(search, more)}`
}
