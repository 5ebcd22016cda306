import { useRawSearch, withParams } from './address.ts'
import { isFilter } from './filters.ts'

/** Period, filters and the switch of imported totals go along from page to page; all other parameters belong to one page alone. */
const KEPT = ['range', 'from', 'to', 'compare', 'compare_from', 'compare_to', 'match_weekday', 'imported']

const goesAlong = (parameter: string): boolean => {
  const name = parameter.replace(/\[.*$/, '')
  return KEPT.includes(name) || isFilter(name)
}

/** Returns what other pages of the site take along from an address, with more parameters. */
function keptSearch(search: string, more: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(search)
  for (const name of [...params.keys()]) if (!goesAlong(name)) params.delete(name)
  for (const [name, value] of Object.entries(more)) params.set(name, value)
  return withParams('', params)
}

/** Returns links to other pages of the site, with the period and the filters of this one. */
export function useLinks(): (path: string, more?: Readonly<Record<string, string>>) => string {
  const search = useRawSearch()
  return (path, more = {}) => `${path}${keptSearch(search, more)}`
}
