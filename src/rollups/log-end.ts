import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { datesOf, type Window } from './protocol.ts'
import { readWatermark } from './watermarks.ts'

// Hits by type after the time up to which log_15m is refreshed. The aggregate would count them from rows by itself, but its plan reads all
// rows of the newest chunk, of all sites.

const countRows = query<
  { siteNo: number; start: Date; end: Date },
  { bucket: number; type: string; hits: number }
>(
  'count-log-rows',
  `
  select
    (extract(epoch from time_bucket(interval '15 minutes', at)) * 1000)::bigint as bucket, type, count(*) as hits
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type not in ('engagement', 'identify')
  group by 1, 2`,
)

/** The end of a log, as parameters of a statement: what log_15m does not hold. */
export interface LogEnd {
  /** log_15m counts what is before it, these counts what is since. */
  refreshedTo: Date
  /** Counts by bucket and type, one element of each array. */
  countedBuckets: Date[]
  countedTypes: string[]
  countedHits: number[]
}

/**
 * Counts the last hits of a site. Call it in the snapshot of the statement that gets the counts.
 * @param window whole buckets
 */
export async function readLogEnd(tx: Queryable, siteNo: number, { start, end }: Window): Promise<LogEnd> {
  const [state] = await readWatermark(tx, { aggregate: 'hits' })
  const from = Math.min(Math.max(start, state?.refreshedTo ?? start), end)
  const counts = from < end ? await countRows(tx, { siteNo, ...datesOf({ start: from, end }) }) : []
  return {
    refreshedTo: new Date(from),
    countedBuckets: counts.map(({ bucket }) => new Date(bucket)),
    countedTypes: counts.map(({ type }) => type),
    countedHits: counts.map(({ hits }) => hits),
  }
}
