import type { Db } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { MINUTE_MS } from '../lib/time.ts'

const BUCKET_MS = 15 * MINUTE_MS
/** Minimum lag of rollups behind now. Most hits are stored within seconds; a later hit marks its day dirty. */
const LAG_MS = 15 * MINUTE_MS

/** Moves the watermark of an aggregate forward, once no running transaction writes by the old one. */
export const moveWatermark = query<{ aggregate: string; watermark: Date }>(
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

/**
 * Moves the watermark of rollups up to `now` minus the lag. Every later write below the watermark leaves a mark.
 * @returns the watermark, and the watermark up to which all open days were rolled up; Unix milliseconds
 */
export async function moveRollupWatermark(
  db: Db,
  now: Date,
): Promise<{ watermark: number; refreshedTo: number | null }> {
  const target = Math.floor((now.getTime() - LAG_MS) / BUCKET_MS) * BUCKET_MS
  await moveWatermark(db, { aggregate: 'daily_rollups', watermark: new Date(target) })
  const [state] = await readWatermark(db, { aggregate: 'daily_rollups' })
  return { watermark: state!.watermark!, refreshedTo: state!.refreshedTo }
}
