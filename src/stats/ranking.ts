import type { Page } from '../infra/pagination.ts'

/** The page of a ranking that repeats its total in every row, and is one row without an entry where it is empty. */
export function pageOf<Row extends { total: number }, Item>(
  ranked: Row[],
  isEntry: (row: Row) => boolean,
  present: (row: Row) => Item,
): Page<Item> {
  return { rows: ranked.filter(isEntry).map(present), total: ranked[0]?.total ?? 0 }
}
