import { useAddress } from './address.ts'

/** The page of a list, kept in the address, and how to turn to another one. */
export function usePage(): [page: number, onPage: (page: number) => void] {
  const { params, change } = useAddress()
  const page = Math.trunc(Number(params.get('page')))
  return [page >= 1 ? page : 1, next => change({ page: next === 1 ? null : String(next) })]
}
