import { useRouter } from 'wouter'

/** Parameters that belong to one page alone. Period and filters go along from page to page. */
const OF_ONE_PAGE = ['page', 'sort', 'order', 'search', 'metric', 'group', 'tab', 'types', 'chosen', 'by']

/** Returns the query of the address as it is: `useSearch` of wouter decodes it once, so that `%25` in a value would be lost. */
export function useRawSearch(): string {
  const router = useRouter()
  return router.searchHook(router).replace(/^\?/, '')
}

/** Returns what other pages of the site take along from an address, with its question mark. */
export function keptSearch(search: string): string {
  const params = new URLSearchParams(search)
  for (const name of OF_ONE_PAGE) params.delete(name)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns links to other pages of the site, with the period and the filters of this one. */
export function useLinks(): (path: string) => string {
  const kept = keptSearch(useRawSearch())
  return path => `${path}${kept}`
}
