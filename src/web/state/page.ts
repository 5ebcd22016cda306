import { useAddress } from './address.ts'

/** The page of a list, kept in the address, and how to turn to another one. */
export function usePage(): [page: number, onPage: (page: number) => void] {
  const { params, change } = useAddress()
  const page = Math.max(1, Math.trunc(Number(params.get('page'))) || 1)
  return [page, next => change({ page: next === 1 ? null : String(next) })]
}
