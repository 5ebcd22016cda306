import { MAX_EVENTS_BYTES } from '../../../ingestion/replays/bounds.ts'
import { readEvents } from '../../../ingestion/replays/read-chunk.ts'
import { EARLIEST } from '../next-row.ts'
import { type Filling, moveBehind, NO_KEY } from './filling.ts'
import { itemOf } from './present.ts'
import { listReplayChunks, readReplayData } from './read-replays.ts'

/** Chunks of replays that are read at once. */
const MOST_CHUNKS = 100

/** Replays are read without windows: the rows of their sessions are few. A page has as many bytes of events as a chunk may. */
export async function fillReplays(filling: Filling): Promise<boolean> {
  const { db, person, page, cursor, room } = filling
  const limit = Math.min(room, MOST_CHUNKS)
  if (limit === 0) return false
  const listed = await listReplayChunks(db, {
    ...person,
    afterAt: new Date(cursor.after?.at ?? EARLIEST),
    afterKey: cursor.after?.key ?? NO_KEY.other,
    until: new Date(cursor.until),
    limit,
  })
  let bytes = 0
  const rows = listed.filter((row, index) => {
    bytes += row.unpacked
    return index === 0 || bytes <= MAX_EVENTS_BYTES
  })
  if (rows.length === 0) return true
  const [from, to] = [rows[0]!.timestamp, rows.at(-1)!.timestamp]
  const found = await readReplayData(db, { siteNo: person.siteNo, from, to, ids: rows.map(({ id }) => id) })
  const data = new Map(found.map(row => [row.id, row.data]))
  for (const { unpacked: _, ...row } of rows) {
    const packed = data.get(row.id)
    if (packed) page.replays.push(itemOf<'replays'>({ ...row, events: await readEvents(packed) }))
  }
  return moveBehind(filling, rows, limit) && rows.length === listed.length
}
