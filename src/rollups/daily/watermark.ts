import { type Db, statement } from '../../infra/db.ts'

const MINUTE = 60_000
const BUCKET_MS = 15 * MINUTE
/** Minimum lag of rollups behind now. Most hits are stored within seconds; a later hit marks its day dirty. */
const LAG_MS = 15 * MINUTE

const moveWatermark = statement('move-watermark')
const readWatermark = statement<{ watermark: number | null; refreshedTo: number | null }>('read-watermark')

/**
 * Moves the watermark of rollups up to `now` minus the lag. Every later write below the watermark leaves a mark.
 * @returns the watermark, and the watermark up to which all open days were rolled up; Unix milliseconds
 */
export async function watermarkOf(
  db: Db,
  now: Date,
): Promise<{ watermark: number; refreshedTo: number | null }> {
  const target = Math.floor((now.getTime() - LAG_MS) / BUCKET_MS) * BUCKET_MS
  await moveWatermark(db, 'daily_rollups', new Date(target))
  const [state] = await readWatermark(db, 'daily_rollups')
  return { watermark: state!.watermark!, refreshedTo: state!.refreshedTo }
}
