import type { Page } from '../infra/pagination.ts'

/**
 * Returns a page from the rows of a ranking. Every row repeats the total; an empty page is one row with nulls.
 * @param entry a column that is not null in any entry
 */
export function pageOf<Row extends { total: number }>(ranked: Row[], entry: keyof Row): Page<Row> {
  return { rows: ranked.filter(row => row[entry] !== null), total: ranked[0]?.total ?? 0 }
}
