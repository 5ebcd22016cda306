import type { Db } from '../../../platform/db/connect.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import { EARLIEST, findNextRow } from '../next-row.ts'
import type { Cursor, Place } from './cursor.ts'
import type { Person } from './read-visits.ts'
import type { PersonExport } from './schema.ts'

/** Rows of a site are searched in windows of this length. */
const WINDOW_MS = 7 * DAY_MS
/** Comes before all keys. */
export const NO_KEY = { visits: '-1', other: '00000000-0000-0000-0000-000000000000' }

/** A page that is being filled. */
export interface Filling {
  db: Db
  person: Person
  visitorId: string | null
  page: PersonExport
  /** Items that the page has still room for. */
  room: number
  hasTime: () => boolean
  cursor: Cursor
}

export const moveTo = (filling: Filling, after: Place, hit: Place | null = null) => {
  filling.cursor = { ...filling.cursor, after, hit }
}

/** Moves the cursor behind rows that were added. @returns whether there are no more of them */
export function moveBehind(
  filling: Filling,
  rows: { timestamp: Date; id: string }[],
  limit: number,
): boolean {
  filling.room -= rows.length
  const latest = rows.at(-1)
  if (latest) moveTo(filling, { at: latest.timestamp.getTime(), key: latest.id })
  return rows.length < limit
}

/**
 * Calls `read` for each window in which the site has rows, from the cursor to the time of the first page.
 * @param read adds at most `limit` rows after the cursor, and returns whether it has read the whole window
 * @returns whether there are no more windows; false when the page is full or the time is over
 */
export async function walkOn(
  filling: Filling,
  noKey: string,
  read: (span: TimeSpan, after: { afterAt: Date; afterKey: string }, limit: number) => Promise<boolean>,
): Promise<boolean> {
  const { db, person } = filling
  while (filling.room > 0 && filling.hasTime()) {
    const { after, until } = filling.cursor
    const from = new Date(after?.at ?? EARLIEST)
    const [next] = await findNextRow(db, { siteNo: person.siteNo, from })
    if (!next!.at || next!.at.getTime() >= until) return true
    const end = new Date(Math.min(next!.at.getTime() + WINDOW_MS, until))
    const place = { afterAt: from, afterKey: after?.key ?? noKey }
    if (await read({ start: next!.at, end }, place, filling.room)) {
      moveTo(filling, { at: end.getTime(), key: noKey })
    }
  }
  return false
}
