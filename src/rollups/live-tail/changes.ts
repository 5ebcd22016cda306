import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { OPEN_MS } from '../daily/coverage.ts'
import { BUCKET_MS } from '../protocol.ts'
import { readWatermark } from '../watermarks.ts'

interface Version {
  bucket: number
  version: number
}

const selectMarks = query<{ siteNo: number; from: Date }, Version>(
  'read-tail-marks',
  `
  select (extract(epoch from bucket) * 1000)::bigint as bucket, version
  from dirty_buckets
  where aggregate = 'recent_hits' and site_no = :siteNo::int and bucket >= :from::timestamptz`,
)

const selectRecounts = query<{ siteNo: number; from: Date }, Version>(
  'read-tail-recounts',
  `
  select (extract(epoch from bucket) * 1000)::bigint as bucket, counted_anew as version
  from recent_hits
  where site_no = :siteNo::int and bucket >= :from::timestamptz`,
)

interface OpenDay {
  start: number
  end: number
  rolledUpTo: number
  madeAnew: string | null
}

const selectOpenDays = query<{ siteNo: number; openFor: string }, OpenDay>(
  'read-tail-days',
  `
  select
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
    made_anew as "madeAnew"
  from daily_rollups
  where site_no = :siteNo::int and rolled_up_to < ends_at + :openFor::interval`,
)

// A day that is marked has rows which its rollup does not hold, also rows before those that the tail holds.
const selectIsMarked = query<{ siteNo: number; openFor: string }, { isMarked: boolean }>(
  'read-tail-day-marks',
  `
  select exists (
    select from dirty_buckets as mark
    where mark.aggregate = 'daily_rollups' and mark.site_no = :siteNo::int and mark.bucket >= (
      select min(starts_at) from daily_rollups as day
      where day.site_no = :siteNo::int and rolled_up_to < ends_at + :openFor::interval
    )
  ) as "isMarked"`,
)

/** State that shows changes other than new hits after the watermark. */
export interface TailState {
  /** Hits before it, which are stored later, leave a mark. Unix milliseconds. */
  watermark: number
  /** The mark of each bucket, and when it was last counted again. */
  buckets: Map<number, { mark: number | undefined; recount: number | undefined }>
  /** The rollups of days that still grow. */
  days: OpenDay[]
  /** Whether one of these days, or a later one, is to be rolled up again. */
  isMarked: boolean
}

/**
 * Reads the state of a site's rows. Call it in the snapshot in which the rows are read.
 * @param from marks before it are left out, Unix milliseconds
 * @returns undefined while the last hits of no site are counted
 */
export async function readTailState(
  tx: Queryable,
  siteNo: number,
  from: number,
): Promise<TailState | undefined> {
  const since = { siteNo, from: new Date(Math.floor(from / BUCKET_MS) * BUCKET_MS) }
  const openFor = `${OPEN_MS} milliseconds`
  const [[state], marks, recounts, days, [marked]] = await Promise.all([
    readWatermark(tx, { aggregate: 'recent_hits' }),
    selectMarks(tx, since),
    selectRecounts(tx, since),
    selectOpenDays(tx, { siteNo, openFor }),
    selectIsMarked(tx, { siteNo, openFor }),
  ])
  if (!state || state.watermark === null) return undefined
  const buckets: TailState['buckets'] = new Map()
  for (const { bucket, version } of marks) buckets.set(bucket, { mark: version, recount: undefined })
  for (const { bucket, version } of recounts)
    buckets.set(bucket, { mark: buckets.get(bucket)?.mark, recount: version })
  return { watermark: state.watermark, buckets, days, isMarked: marked!.isMarked }
}

/**
 * Returns the buckets in which rows before the watermark may have changed between two states. A change sets a mark; counting the bucket
 * again removes it, and leaves a new number.
 */
export function changedBuckets(before: TailState, now: TailState): number[] {
  const all = new Set([...before.buckets.keys(), ...now.buckets.keys()])
  return [...all].filter(bucket => {
    const [old, present] = [before.buckets.get(bucket), now.buckets.get(bucket)]
    // Counts that are too old are deleted, and are no change.
    const isRecounted = present?.recount !== undefined && present.recount !== (old?.recount ?? 0)
    return old?.mark !== present?.mark || isRecounted
  })
}

/** Returns whether a day was rolled up again from its rows: some of those before its end have changed. */
export const isMadeAnew = (before: TailState, now: TailState): boolean =>
  now.days.some(day => {
    const old = before.days.find(({ start, end }) => start === day.start && end === day.end)
    return old !== undefined && old.madeAnew !== day.madeAnew
  })
