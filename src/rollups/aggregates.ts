import { type Db, statement } from '../infra/db.ts'

const MINUTE = 60_000
const BUCKET_MS = 15 * MINUTE
/** Longest span refreshed at once: the embedded database does nothing else meanwhile. */
const WINDOW_MS = 6 * 60 * MINUTE
/** Most marks taken off in one round. */
const MAX_MARKS = 5_000

/**
 * The continuous aggregates and how far behind now their horizon lies: behind every change that is normal, so
 * that marks are rare. A session changes for at most a day and half an hour after its start.
 */
const AGGREGATES = {
  hits: { lagMs: 60 * MINUTE, refresh: statement('refresh-hits') },
  sessions: { lagMs: 24.5 * 60 * MINUTE, refresh: statement('refresh-sessions') },
} as const

export type Aggregate = keyof typeof AGGREGATES
export const AGGREGATE_NAMES = Object.keys(AGGREGATES) as Aggregate[]

const moveHorizon = statement('move-horizon')
const readHorizon = statement<{ horizon: number | null; refreshedTo: number | null }>('read-horizon')
const noteRefreshed = statement('note-refreshed')
const selectDirty = statement<{ siteNo: number; bucket: Date; version: number }>('select-dirty')
const deleteDirty = statement('delete-dirty')

/**
 * Moves the horizon of an aggregate up to `now` less its lag, materialises up to it, then the dirty buckets.
 * Readers get the same numbers before, while and after. May be cut off at any point and run again.
 * One at a time in the whole cluster.
 */
export async function refreshAggregate(db: Db, aggregate: Aggregate, now: Date): Promise<void> {
  const { lagMs, refresh } = AGGREGATES[aggregate]
  const target = Math.floor((now.getTime() - lagMs) / BUCKET_MS) * BUCKET_MS
  // First the horizon, then the refresh: whoever writes below it from here on leaves a mark.
  await moveHorizon(db, aggregate, new Date(target))
  const [state] = await readHorizon(db, aggregate)
  const horizon = state!.horizon!
  let from = state!.refreshedTo
  while (from === null || from < horizon) {
    const to: number = from === null ? horizon : Math.min(from + WINDOW_MS, horizon)
    await refresh(db, from === null ? null : new Date(from), new Date(to))
    await noteRefreshed(db, aggregate, new Date(to))
    from = to
  }
  // Only now: a bucket refreshed beyond `refreshed_to` would let the watermark pass what lies between.
  await refreshDirty(db, aggregate)
}

/** Seconds by which each aggregate is materialised behind `now`; infinite when it never was. */
export async function readRefreshLag(db: Db, now: Date): Promise<Map<Aggregate, number>> {
  const lags = new Map<Aggregate, number>()
  for (const aggregate of AGGREGATE_NAMES) {
    const [state] = await readHorizon(db, aggregate)
    const refreshedTo = state?.refreshedTo ?? null
    lags.set(
      aggregate,
      refreshedTo === null ? Number.POSITIVE_INFINITY : (now.getTime() - refreshedTo) / 1000,
    )
  }
  return lags
}

async function refreshDirty(db: Db, aggregate: Aggregate): Promise<void> {
  const marks = await selectDirty(db, aggregate, MAX_MARKS)
  for (let first = 0; first < marks.length; ) {
    let last = first
    const start = marks[first]!.bucket.getTime()
    // Runs of neighbouring buckets, whichever sites they are of, are refreshed together.
    while (last + 1 < marks.length && isNextIn(marks[last]!.bucket, marks[last + 1]!.bucket, start)) last += 1
    const run = marks.slice(first, last + 1)
    const end = new Date(run.at(-1)!.bucket.getTime() + BUCKET_MS)
    await AGGREGATES[aggregate].refresh(db, new Date(start), end)
    await deleteDirty(
      db,
      aggregate,
      run.map(mark => mark.siteNo),
      run.map(mark => mark.bucket.getTime()),
      run.map(mark => mark.version),
    )
    first = last + 1
  }
}

function isNextIn(bucket: Date, next: Date, start: number): boolean {
  return next.getTime() - bucket.getTime() <= BUCKET_MS && next.getTime() - start < WINDOW_MS
}
