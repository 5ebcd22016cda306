import { type Db, sqlState, statement } from '../infra/db.ts'
import { createPace } from './pace.ts'
import type { Window } from './protocol.ts'

const MINUTE = 60_000
const BUCKET_MS = 15 * MINUTE
/** Maximum number of marks removed in one round. */
const MAX_MARKS = 5_000

/**
 * Continuous aggregates and the lag of each watermark behind now. The lag covers all normal changes, so marks are rare:
 * a session changes for at most 24.5 hours after its start. Views of the same rows share one entry, with one watermark
 * and one kind of mark.
 */
const AGGREGATES = {
  hits: {
    lagMs: 60 * MINUTE,
    views: ['hits_15m', 'log_15m'],
    pace: createPace(),
  },
  sessions: {
    lagMs: 24.5 * 60 * MINUTE,
    views: ['sessions_15m'],
    pace: createPace(),
  },
  revenue: {
    lagMs: 60 * MINUTE,
    views: ['revenue_15m'],
    pace: createPace(),
  },
} as const

export type Aggregate = keyof typeof AGGREGATES
export const AGGREGATE_NAMES = Object.keys(AGGREGATES) as Aggregate[]

interface Mark {
  siteNo: number
  bucket: Date
  version: number
}

const moveWatermark = statement('move-watermark')
const readWatermark = statement<{ watermark: number | null; refreshedTo: number | null }>('read-watermark')
const noteRefreshed = statement('note-refreshed')
const selectDirty = statement<Mark>('select-dirty')
const deleteDirty = statement('delete-dirty')

/**
 * Moves the watermark of an aggregate up to `now` minus its lag, materialises up to it, then refreshes the dirty buckets.
 * Readers get the same numbers before, during and after. It is safe to stop it at any point and run it again.
 * Only one call may run at a time in the whole cluster.
 * @returns true when there may be dirty buckets left
 */
export async function refreshAggregate(db: Db, aggregate: Aggregate, now: Date): Promise<boolean> {
  await catchUp(db, aggregate, now)
  // Keep this order: a bucket refreshed beyond `refreshed_to` would move the watermark past buckets not yet materialised.
  return refreshDirty(db, aggregate)
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
  while (await refreshDirty(db, aggregate, window)) {}
  const end = Math.min(window.end, watermark)
  for (let from = window.start; from < end; ) {
    const to = Math.min(from + AGGREGATES[aggregate].pace.windowMs(), end)
    await refresh(db, aggregate, from, to)
    onDone(to)
    from = to
  }
}

/** @returns the watermark; everything before it is materialised */
async function catchUp(db: Db, aggregate: Aggregate, now: Date): Promise<number> {
  const { lagMs, pace } = AGGREGATES[aggregate]
  const target = Math.floor((now.getTime() - lagMs) / BUCKET_MS) * BUCKET_MS
  // Move the watermark before the refresh: every later write below it then leaves a mark.
  await moveWatermark(db, aggregate, new Date(target))
  const [state] = await readWatermark(db, aggregate)
  const watermark = state!.watermark!
  let from = state!.refreshedTo
  while (from === null || from < watermark) {
    const to: number = from === null ? watermark : Math.min(from + pace.windowMs(), watermark)
    await refresh(db, aggregate, from, to)
    await noteRefreshed(db, aggregate, new Date(to))
    from = to
  }
  return watermark
}

async function refreshDirty(
  db: Db,
  aggregate: Aggregate,
  { start, end }: Partial<Window> = {},
): Promise<boolean> {
  const within = [start, end].map(at => (at === undefined ? null : new Date(at)))
  const marks = await selectDirty(db, aggregate, MAX_MARKS, ...within)
  for (let first = 0; first < marks.length; ) {
    // Refresh neighbouring marks together, also those of different sites.
    const from = marks[first]!.bucket.getTime()
    const windowMs = AGGREGATES[aggregate].pace.windowMs()
    let next = first + 1
    while (next < marks.length && marks[next]!.bucket.getTime() + BUCKET_MS - from <= windowMs) next += 1
    const run = marks.slice(first, next)
    await refresh(db, aggregate, from, run.at(-1)!.bucket.getTime() + BUCKET_MS)
    await deleteDirty(
      db,
      aggregate,
      run.map(mark => mark.siteNo),
      run.map(mark => mark.bucket.getTime()),
      run.map(mark => mark.version),
    )
    first = next
  }
  return marks.length === MAX_MARKS
}

/** SQLSTATE when no procedure takes these arguments. */
const UNDEFINED_FUNCTION = '42883'

/**
 * Materialises the buckets of [from, to), or everything before `to` when `from` is null. It cannot run inside a transaction.
 * Uses one batch: by default TimescaleDB runs one statement for every ten buckets, which takes 60 times as long.
 * TimescaleDB 2.20 has no such option and always uses the default.
 */
async function refreshView(
  db: Db,
  view: string,
  { from, to }: { from: Date | null; to: Date },
): Promise<void> {
  try {
    await db`
      call refresh_continuous_aggregate(
        ${view}::regclass, ${from}::timestamptz, ${to}::timestamptz, options => '{"buckets_per_batch": 0}'::jsonb
      )`
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_FUNCTION) throw error
    await db`call refresh_continuous_aggregate(${view}::regclass, ${from}::timestamptz, ${to}::timestamptz)`
  }
}

async function refresh(db: Db, aggregate: Aggregate, from: number | null, to: number): Promise<void> {
  const { views, pace } = AGGREGATES[aggregate]
  const window = { from: from === null ? null : new Date(from), to: new Date(to) }
  const startedAt = performance.now()
  for (const view of views) await refreshView(db, view, window)
  if (from !== null) pace.learn(to - from, performance.now() - startedAt)
}

/** Returns the lag of each aggregate and of `daily_rollups` behind `now`, in seconds; infinite when never refreshed. */
export async function readRefreshLag(db: Db, now: Date): Promise<Map<string, number>> {
  const lags = new Map<string, number>()
  for (const aggregate of [...AGGREGATE_NAMES, 'daily_rollups']) {
    const [state] = await readWatermark(db, aggregate)
    const refreshedTo = state?.refreshedTo ?? null
    lags.set(
      aggregate,
      refreshedTo === null ? Number.POSITIVE_INFINITY : (now.getTime() - refreshedTo) / 1000,
    )
  }
  return lags
}
