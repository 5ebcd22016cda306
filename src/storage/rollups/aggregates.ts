import type { Db } from '../../platform/db/connect.ts'
import { sqlState } from '../../platform/db/database-errors.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, HOUR_MS } from '../../platform/lib/time.ts'
import { type Aggregate, MAX_MARKS, readMarks, removeMarks } from './dirty.ts'
import { BUCKET_MS, type Window } from './protocol.ts'
import { moveWatermark, noteRefreshed, readWatermark } from './watermarks.ts'

/** Target time of one refresh: the embedded database can do nothing else during it. */
const TARGET_MS = 200

/**
 * Continuous aggregates, and how much of each is refreshed at once, `windowMs`. It adapts to the measured times: from one hour for a very
 * large site to 32 days for a small one.
 */
const AGGREGATES: Record<Aggregate, { view: string; windowMs: number }> = {
  hits: { view: 'hits_15m', windowMs: 6 * HOUR_MS },
  revenue: { view: 'revenue_15m', windowMs: 6 * HOUR_MS },
}

/** Lag of the watermarks behind now. It covers all normal changes, so marks are rare. */
const LAG_MS = HOUR_MS

export const AGGREGATE_NAMES = Object.keys(AGGREGATES) as Aggregate[]

/**
 * Moves the watermark of an aggregate up to `now` minus its lag, materialises up to it, then refreshes the dirty buckets.
 * Readers get the same numbers before, during and after. It is safe to stop it at any point and run it again.
 * Only one call may run at a time in the whole cluster.
 * @returns true when there may be dirty buckets left
 */
export async function refreshAggregate(db: Db, aggregate: Aggregate, now: Date): Promise<boolean> {
  // Keep this order: a bucket refreshed beyond `refreshed_to` would move the watermark past buckets not yet materialised.
  const watermark = await catchUp(db, aggregate, now)
  return refreshDirty(db, aggregate, { end: watermark })
}

/**
 * Refreshes a window up to the watermark, even when no mark says that it changed.
 * Otherwise the same rules as for `refreshAggregate` apply.
 * @param onDone called with the time up to which the window is refreshed, Unix milliseconds
 */
export async function refreshWindow(
  db: Db,
  aggregate: Aggregate,
  window: Window,
  now: Date,
  onDone: (until: number) => void = () => {},
): Promise<void> {
  const watermark = await catchUp(db, aggregate, now)
  const end = Math.min(window.end, watermark)
  while (await refreshDirty(db, aggregate, { start: window.start, end })) {}
  for (let from = window.start; from < end; ) {
    const to = Math.min(from + AGGREGATES[aggregate].windowMs, end)
    await refresh(db, aggregate, from, to)
    onDone(to)
    from = to
  }
}

/** @returns the watermark; everything before it is materialised */
async function catchUp(db: Db, aggregate: Aggregate, now: Date): Promise<number> {
  const own = AGGREGATES[aggregate]
  // Move the watermark before the refresh: every later write below it then leaves a mark.
  const { watermark, refreshedTo } = await moveWatermark(db, aggregate, now, LAG_MS)
  let from = refreshedTo
  while (from === null || from < watermark) {
    const to: number = from === null ? watermark : Math.min(from + own.windowMs, watermark)
    await refresh(db, aggregate, from, to)
    await noteRefreshed(db, { aggregate, refreshedTo: new Date(to) })
    from = to
  }
  return watermark
}

/**
 * Refreshes dirty buckets of a window that ends at the watermark at the latest. A refresh beyond it would let TimescaleDB read
 * newer buckets from the aggregate, where hits that come later are not.
 */
async function refreshDirty(db: Db, aggregate: Aggregate, window: Partial<Window>): Promise<boolean> {
  const marks = await readMarks(db, aggregate, window)
  for (let first = 0; first < marks.length; ) {
    // Refresh neighbouring marks together, also those of different sites.
    const from = marks[first]!.bucket.getTime()
    const windowMs = AGGREGATES[aggregate].windowMs
    let next = first + 1
    while (next < marks.length && marks[next]!.bucket.getTime() + BUCKET_MS - from <= windowMs) next += 1
    const neighbours = marks.slice(first, next)
    await refresh(db, aggregate, from, neighbours.at(-1)!.bucket.getTime() + BUCKET_MS)
    await removeMarks(db, aggregate, neighbours)
    first = next
  }
  return marks.length === MAX_MARKS
}

/** SQLSTATE when no procedure takes these arguments. */
const UNDEFINED_FUNCTION = '42883'

interface Refresh {
  view: string
  from: Date | null
  to: Date
}

/** One batch: by default TimescaleDB runs one statement for every ten buckets, which takes 60 times as long. */
const refreshInOneBatch = query<Refresh>(
  'refresh-view',
  `
  call refresh_continuous_aggregate(
    :view::regclass, :from::timestamptz, :to::timestamptz, options => '{"buckets_per_batch": 0}'::jsonb
  )`,
)
const refreshInBatches = query<Refresh>(
  'refresh-view-in-batches',
  'call refresh_continuous_aggregate(:view::regclass, :from::timestamptz, :to::timestamptz)',
)

/**
 * Materialises the buckets of [from, to), or everything before `to` when `from` is null. It cannot run inside a transaction.
 * TimescaleDB 2.20 has no option for the batches.
 */
async function refreshView(db: Db, window: Refresh): Promise<void> {
  try {
    await refreshInOneBatch(db, window)
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_FUNCTION) throw error
    await refreshInBatches(db, window)
  }
}

async function refresh(db: Db, aggregate: Aggregate, from: number | null, to: number): Promise<void> {
  const own = AGGREGATES[aggregate]
  const window = { from: from === null ? null : new Date(from), to: new Date(to) }
  const startedAt = performance.now()
  await refreshView(db, { view: own.view, ...window })
  if (from === null) return
  const tookMs = performance.now() - startedAt
  if (tookMs > 2 * TARGET_MS) own.windowMs = Math.max(HOUR_MS, own.windowMs / 2)
  else if (tookMs < TARGET_MS / 2 && to - from > own.windowMs / 2)
    own.windowMs = Math.min(32 * DAY_MS, own.windowMs * 2)
}

/** Returns the lag of each aggregate and of `daily_rollups` behind `now`, in seconds; infinite when never refreshed. */
export async function readRefreshLag(db: Db, now: Date): Promise<Map<string, number>> {
  const lags = new Map<string, number>()
  for (const aggregate of [...AGGREGATE_NAMES, 'daily_rollups']) {
    const [state] = await readWatermark(db, { aggregate })
    lags.set(aggregate, (now.getTime() - (state?.refreshedTo ?? Number.NEGATIVE_INFINITY)) / 1000)
  }
  return lags
}
