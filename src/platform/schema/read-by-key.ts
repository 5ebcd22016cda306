import { BLOCK_ROWS, type Download } from './download.ts'
import type { Page } from './pagination.ts'

/** A list that continues behind the key of a row. */
export interface KeyedList<Key, Row> {
  count: () => Promise<number>
  /** @param after key of the last row that was read; undefined at the start */
  read: (after: Key | undefined, limit: number) => Promise<Row[]>
  keyOf: (row: Row) => Key
}

/**
 * Returns the next block of a whole list. It continues by key, so a row that is added meanwhile shifts nothing: every row that was
 * there at the start, and still is, is in one block.
 */
export async function readByKey<Key, Row>(
  download: Download,
  name: string,
  { count, read, keyOf }: KeyedList<Key, Row>,
): Promise<Page<Row>> {
  const position = await download.pin(name, async () => ({
    total: await count(),
    after: undefined as Key | undefined,
  }))
  const rows = await read(position.after, BLOCK_ROWS)
  const last = rows.at(-1)
  if (last) download.whenRead(() => Object.assign(position, { after: keyOf(last) }))
  download.isComplete = rows.length < BLOCK_ROWS
  return { rows, total: position.total }
}
