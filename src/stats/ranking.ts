import type { Page } from '../infra/pagination.ts'

/**
 * The page of a ranking that repeats its total in every row, and is one row of nulls where it is empty.
 * @param entry a column that every entry has
 */
export function pageOf<Row extends { total: number }>(ranked: Row[], entry: keyof Row): Page<Row> {
  return { rows: ranked.filter(row => row[entry] !== null), total: ranked[0]?.total ?? 0 }
}
