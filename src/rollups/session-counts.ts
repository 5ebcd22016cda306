import type { Db, Queryable, Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { SessionTotals } from './daily/row-slice.ts'
import { BUCKET_MS, datesOf, type Window } from './protocol.ts'

// Sessions of the last days by the quarter-hour of their start, exact at every moment: what changes sessions changes these counts in the
// same transaction. Later, daily rollups and sessions_15m answer.

/** Longer than a day can be open (OPEN_MS after its end): its rollup is final before its counts go. */
const KEPT_MS = 72 * HOUR_MS

/** What a transaction adds to the sessions that started at a time; negative for what it takes away. */
export interface SessionChange extends SessionTotals {
  siteNo: number
  startedAt: number
}

const addCounts = query<{
  partition: number
  siteNos: number[]
  buckets: Date[]
  sessions: number[]
  bounces: number[]
  durations: number[]
}>('add-session-counts')

/** Unix milliseconds; null while nothing is counted. */
const findCountedFrom = query<void, { from: number | null }>(
  'find-sessions-counted-from',
  `select case when isfinite(counted_from) then (extract(epoch from counted_from) * 1000)::bigint end as "from"
  from session_count_span`,
)

const selectCounts = query<{ siteNo: number; start: Date; end: Date }, SessionTotals & { bucket: Date }>(
  'select-session-counts',
  `select
    bucket, sum(sessions)::bigint as sessions, sum(bounces)::bigint as bounces, sum(duration_ms)::float8 as "durationMs"
  from session_counts
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
  group by bucket`,
)

// A reader takes both from one snapshot, so it never misses counts that are deleted here. Counts that an import changes now go in an hour:
// it locks them in another order.
const moveSpan = query<{ beginning: Date; keptFrom: Date }>(
  'move-session-count-span',
  `
  with moved as (
    update session_count_span
    set counted_from = case
      when counted_from = 'infinity' then :beginning::timestamptz
      else greatest(counted_from, :keptFrom::timestamptz)
    end
    returning counted_from
  )
  delete from session_counts
  where ctid = any(array(
    select session_counts.ctid from session_counts, moved where bucket < counted_from for update of session_counts skip locked
  ))`,
)

/**
 * Counts what a transaction changed in sessions.
 * @param partition one whose lock the transaction holds
 */
export async function addSessionCounts(
  tx: Transaction,
  partition: number,
  changes: readonly SessionChange[],
): Promise<void> {
  const sums = new Map<string, SessionTotals & { siteNo: number; bucket: Date }>()
  for (const { siteNo, startedAt, sessions, bounces, durationMs } of changes) {
    if (sessions === 0 && bounces === 0 && durationMs === 0) continue
    const bucket = Math.floor(startedAt / BUCKET_MS) * BUCKET_MS
    const key = `${siteNo}/${bucket}`
    const sum = sums.get(key)
    if (sum) {
      sum.sessions += sessions
      sum.bounces += bounces
      sum.durationMs += durationMs
    } else sums.set(key, { siteNo, bucket: new Date(bucket), sessions, bounces, durationMs })
  }
  if (sums.size === 0) return
  const rows = [...sums.values()]
  await addCounts(tx, {
    partition,
    siteNos: rows.map(({ siteNo }) => siteNo),
    buckets: rows.map(({ bucket }) => bucket),
    sessions: rows.map(({ sessions }) => sessions),
    bounces: rows.map(({ bounces }) => bounces),
    durations: rows.map(({ durationMs }) => durationMs),
  })
}

/** Takes deleted sessions out of the counts, in a transaction that holds the locks of all partitions. */
export const discountSessions = (
  tx: Transaction,
  siteNo: number,
  gone: readonly { startedAt: Date; pageviews: number; durationMs: number }[],
): Promise<void> =>
  addSessionCounts(
    tx,
    0,
    gone.map(({ startedAt, pageviews, durationMs }) => ({
      siteNo,
      startedAt: startedAt.getTime(),
      sessions: -1,
      bounces: -Number(pageviews === 1),
      durationMs: -durationMs,
    })),
  )

/** Returns the time from which on all sessions are counted, Unix milliseconds; Infinity while none are. */
export async function readCountedFrom(tx: Queryable): Promise<number> {
  const [span] = await findCountedFrom(tx)
  return span?.from ?? Number.POSITIVE_INFINITY
}

/** Returns the sessions that started in a window, by bucket; the window must not begin before `readCountedFrom`. */
export const readSessionCounts = (
  tx: Queryable,
  siteNo: number,
  window: Window,
): Promise<(SessionTotals & { bucket: Date })[]> => selectCounts(tx, { siteNo, ...datesOf(window) })

/** Begins to count a few buckets ahead, when every process has the schema that counts, and deletes counts that are too old. */
export async function keepSessionCounts(db: Db, now: Date): Promise<void> {
  const bucketAt = (at: number) => new Date(Math.floor(at / BUCKET_MS) * BUCKET_MS)
  await moveSpan(db, {
    beginning: bucketAt(now.getTime() + 2 * BUCKET_MS),
    keptFrom: bucketAt(now.getTime() - KEPT_MS),
  })
}
