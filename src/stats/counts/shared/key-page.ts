import { compareTexts } from '../../../storage/rollups/daily/value-dictionary.ts'

/** What orders a list: the newest first, of one moment by id, the last one first. */
export interface ListKey {
  /** Unix milliseconds. */
  at: number
  id: string
}

/**
 * Returns a page of a list.
 * @param rows in any order
 * @param after where the page begins: behind this row
 */
export function pageByKey<Row extends ListKey>(
  rows: readonly Row[],
  { after, limit }: { after?: ListKey | undefined; limit: number },
): Row[] {
  const compare = (a: ListKey, b: ListKey) => b.at - a.at || compareTexts(b.id, a.id)
  return rows
    .filter(row => !after || compare(after, row) < 0)
    .sort(compare)
    .slice(0, limit)
}
