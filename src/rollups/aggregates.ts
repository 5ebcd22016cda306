import { type Db, sqlState, statement } from '../infra/db.ts'
import { createPace } from './pace.ts'
import type { Window } from './protocol.ts'

const MINUTE = 60_000
const BUCKET_MS = 15 * MINUTE
/** Most marks taken off in one round. */
const MAX_MARKS = 5_000

/**
 * The continuous aggregates and how far behind now their horizon lies: behind every change that is normal, so
 * that marks are rare. A session changes for at most a day and half an hour after its start.
 * What is made of the same rows is one here, with one horizon and one kind of mark.
 */
const AGGREGATES = {
  hits: {
    lagMs: 60 * MINUTE,
    refresh: [statement('refresh-hits'), statement('refresh-log')],
    refreshPlainly: [statement('refresh-hits-plainly'), statement('refresh-log-plainly')],
    pace: createPace(),
  },
  sessions: {
    lagMs: 24.5 * 60 * MINUTE,
    refresh: [statement('refresh-sessions')],
    refreshPlainly: [statement('refresh-sessions-plainly')],
    pace: createPace(),
  },
  revenue: {
    lagMs: 60 * MINUTE,
    refresh: [statement('refresh-revenue')],
    refreshPlainly: [statement('refresh-revenue-plainly')],
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

const moveHorizon = statement('move-horizon')
const readHorizon = statement<{ horizon: number | null; refreshedTo: number | null }>('read-horizon')
const noteRefreshed = statement('note-refreshed')
const selectDirty = statement<Mark>('select-dirty')
const deleteDirty = statement('delete-dirty')

/**
 * Moves the horizon of an aggregate up to `now` less its lag, materialises up to it, then the dirty buckets.
 * Readers get the same numbers before, while and after. May be cut off at any point and run again.
 * One at a time in the whole cluster.
 * @returns true when there may be dirty buckets left
 */
export async function refreshAggregate(db: Db, aggregate: Aggregate, now: Date): Promise<boolean> {
  await catchUp(db, aggregate, now)
  // Only now: a bucket refreshed beyond `refreshed_to` would let the watermark pass what lies between.
  return refreshDirty(db, aggregate)
}

/**
 * Materialises a window anew as far as the horizon, whether it is known to have changed or not.
 * As `refreshAggregate` in everything else.
 * @param onDone told up to which moment it is done, Unix milliseconds
 */
export async function refreshWindow(
  db: Db,
  aggregate: Aggregate,
  window: Window,
  now: Date,
  onDone: (until: number) => void = () => {},
): Promise<void> {
  const horizon = await catchUp(db, aggregate, now)
  while (await refreshDirty(db, aggregate, window)) {}
  const end = Math.min(window.end, horizon)
  for (let from = window.start; from < end; ) {
    const to = Math.min(from + AGGREGATES[aggregate].pace.windowMs(), end)
    await refresh(db, aggregate, from, to)
    onDone(to)
    from = to
  }
}

/** @returns the horizon, up to which everything is materialised then */
async function catchUp(db: Db, aggregate: Aggregate, now: Date): Promise<number> {
  const { lagMs, pace } = AGGREGATES[aggregate]
  const target = Math.floor((now.getTime() - lagMs) / BUCKET_MS) * BUCKET_MS
  // First the horizon, then the refresh: whoever writes below it from here on leaves a mark.
  await moveHorizon(db, aggregate, new Date(target))
  const [state] = await readHorizon(db, aggregate)
  const horizon = state!.horizon!
  let from = state!.refreshedTo
  while (from === null || from < horizon) {
    const to: number = from === null ? horizon : Math.min(from + pace.windowMs(), horizon)
    await refresh(db, aggregate, from, to)
    await noteRefreshed(db, aggregate, new Date(to))
    from = to
  }
  return horizon
}

async function refreshDirty(
  db: Db,
  aggregate: Aggregate,
  { start, end }: Partial<Window> = {},
): Promise<boolean> {
  const within = [start, end].map(at => (at === undefined ? null : new Date(at)))
  const marks = await selectDirty(db, aggregate, MAX_MARKS, ...within)
  for (let first = 0; first < marks.length; ) {
    // Marks that lie near each other, whichever sites they are of, are refreshed together.
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

const UNDEFINED_FUNCTION = '42883'

async function refresh(db: Db, aggregate: Aggregate, from: number | null, to: number): Promise<void> {
  const { refresh, refreshPlainly, pace } = AGGREGATES[aggregate]
  const window = [from === null ? null : new Date(from), new Date(to)]
  const startedAt = performance.now()
  try {
    for (const call of refresh) await call(db, ...window)
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_FUNCTION) throw error
    for (const call of refreshPlainly) await call(db, ...window)
  }
  if (from !== null) pace.learn(to - from, performance.now() - startedAt)
}

/** Seconds by which each aggregate, and `folds`, is materialised behind `now`; infinite when it never was. */
export async function readRefreshLag(db: Db, now: Date): Promise<Map<string, number>> {
  const lags = new Map<string, number>()
  for (const aggregate of [...AGGREGATE_NAMES, 'folds']) {
    const [state] = await readHorizon(db, aggregate)
    const refreshedTo = state?.refreshedTo ?? null
    lags.set(
      aggregate,
      refreshedTo === null ? Number.POSITIVE_INFINITY : (now.getTime() - refreshedTo) / 1000,
    )
  }
  return lags
}
