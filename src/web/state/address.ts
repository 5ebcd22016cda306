import { useCallback, useMemo } from 'react'
import { useLocation, useRouter } from 'wouter'
import { isFilter } from './filters.ts'

interface Address {
  params: URLSearchParams
  /**
   * Changes parameters of the address; null removes one. Back returns to what was before, unless `replace`.
   */
  change(
    changes: Readonly<Record<string, string | readonly string[] | null>>,
    options?: { replace?: boolean },
  ): void
}

/** Parameters of the page's address: everything that matters for what the page shows stands there. */
export function useAddress(): Address {
  const search = useRawSearch()
  const [path, navigate] = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback<Address['change']>(
    (changes, options) => {
      const next = new URLSearchParams(search)
      for (const [name, value] of Object.entries(changes)) {
        next.delete(name)
        for (const each of value === null ? [] : [value].flat()) next.append(name, each as string)
      }
      navigate(withParams(path, next), options)
    },
    [search, path, navigate],
  )
  return { params, change }
}

/** Returns a path with parameters, in the form that the API documents: brackets and slashes as they are. */
function withParams(path: string, params: URLSearchParams): string {
  const text = params.toString().replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2F', '/')
  return text === '' ? path : `${path}?${text}`
}

/** Returns the query of the address as it is: `useSearch` of wouter decodes it once, so that `%25` in a value would be lost. */
function useRawSearch(): string {
  const router = useRouter()
  return router.searchHook(router).replace(/^\?/, '')
}

/** Returns the page that an address asks for; the first one, if that is none. */
export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get('page'))
  return Number.isSafeInteger(page) && page > 1 ? page : 1
}

/** The page of a list, kept in the address, and how to turn to another one. */
export function usePage(): [page: number, onPage: (page: number) => void] {
  const { params, change } = useAddress()
  return [pageIn(params), next => change({ page: next === 1 ? null : String(next) })]
}

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
