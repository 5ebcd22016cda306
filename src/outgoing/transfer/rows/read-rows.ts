import type { Queryable } from '../../../platform/db/connect.ts'
import { queries } from '../../../platform/db/query.ts'
import { ROW_FILES, type SiteKind } from './row-files.ts'
import { readText, type Written } from './row-text.ts'

/** A row as its line, with its place in the order of its kind. */
interface KeyedLine {
  key: string[]
  line: string
}

interface After {
  siteNo: number
  /** Key of the row before; empty texts before the first. */
  key: string[]
  limit: number
}

/** What is read by one statement a block. */
export type RowKind = Exclude<SiteKind, 'hits'>

/** A kind without a key has its text in `sql/queries`. */
const textsOf = <Kind extends RowKind>(kinds: Kind[]) =>
  Object.fromEntries(
    kinds.map(kind => {
      const { key, ...file }: { key?: Written['key'] } & Omit<Written, 'key'> = ROW_FILES[kind]
      return [kind, key && readText({ ...file, key })]
    }),
  ) as Record<Kind, string | undefined>

type SharedKind = Exclude<RowKind, 'segments'>
const shared = Object.keys(ROW_FILES).filter(kind => kind !== 'hits' && kind !== 'segments') as SharedKind[]

/** @public the test of all statements reads them */
export const READ_TEXTS = textsOf(shared)
/** Personal ones are those of one user, or of all. @public the test of all statements reads it */
export const READ_SEGMENTS = textsOf(['segments'])

const STATEMENTS = {
  ...queries<SharedKind, After, KeyedLine>('archive', READ_TEXTS),
  ...queries<'segments', After & { userId: string | null }, KeyedLine>('archive', READ_SEGMENTS),
}

const BLOCK_ROWS = 1_000
const KEY_PARTS = 4

/**
 * Yields the lines of a kind of a site, without line breaks, in blocks. Between blocks nothing is held in the database.
 * @param whose.userId the reader, whose personal segments are in it; null for the operator: those of all users
 */
export async function* readRows(
  db: Queryable,
  whose: { siteNo: number; userId: string | null },
  kind: RowKind,
): AsyncGenerator<string[]> {
  const limit = ROW_FILES[kind].blockRows ?? BLOCK_ROWS
  let key = Array.from({ length: KEY_PARTS }, () => '')
  for (;;) {
    const rows = await STATEMENTS[kind](db, { ...whose, key, limit })
    const last = rows.at(-1)
    if (last) yield rows.map(({ line }) => line)
    if (!last || rows.length < limit) return
    key = last.key
  }
}
