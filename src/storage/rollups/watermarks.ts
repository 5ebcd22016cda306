import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { BUCKET_MS } from './protocol.ts'

/** A day is over this long after its end: then only a late hit can join a session of it (contract §6). Has a margin. */
export const OPEN_MS = 26 * HOUR_MS

/** Moves a watermark forward, once no running transaction writes by the old one. */
const raiseWatermark = query<{ aggregate: string; watermark: Date }>(
  'move-watermark',
  `
  update watermarks set watermark = :watermark::timestamptz
  where aggregate = :aggregate::text and watermark < :watermark::timestamptz`,
)

/** Returns the watermark and the time up to which an aggregate is refreshed: Unix milliseconds, null for never. */
export const readWatermark = query<
  { aggregate: string },
  { watermark: number | null; refreshedTo: number | null }
>(
  'read-watermark',
  `
  select
    case when isfinite(watermark) then (extract(epoch from watermark) * 1000)::float8 end as watermark,
    case when isfinite(refreshed_to) then (extract(epoch from refreshed_to) * 1000)::float8 end as "refreshedTo"
  from watermarks
  where aggregate = :aggregate::text`,
)

export const noteRefreshed = query<{ aggregate: string; refreshedTo: Date }>(
  'note-refreshed',
  'update watermarks set refreshed_to = :refreshedTo::timestamptz where aggregate = :aggregate::text',
)

interface Watermark {
  watermark: number
  refreshedTo: number | null
}

/**
 * Moves the watermark of an aggregate up to `now` minus its lag. Every later write below the watermark leaves a mark.
 * @returns the watermark, and the time up to which the aggregate was refreshed; Unix milliseconds
 */
export async function moveWatermark(db: Db, aggregate: string, now: Date, lagMs: number): Promise<Watermark> {
  const watermark = new Date(Math.floor((now.getTime() - lagMs) / BUCKET_MS) * BUCKET_MS)
  await raiseWatermark(db, { aggregate, watermark })
  const [state] = await readWatermark(db, { aggregate })
  return state as Watermark
}

/** Moves the watermark of the daily rollups: days that end before are over. `refreshedTo` is the one up to which all days were rolled up. */
export const moveRollupWatermark = (db: Db, now: Date): Promise<Watermark> =>
  moveWatermark(db, 'daily_rollups', now, OPEN_MS)
