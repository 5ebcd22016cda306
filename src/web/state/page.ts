import { useAddress } from './address.ts'

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
