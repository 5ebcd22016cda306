import { type Db, statement } from '../infra/db.ts'
import type { Aggregate } from './aggregates.ts'
import { markBuckets } from './dirty.ts'

const DAY_MS = 86_400_000
/** Lower bound of all hit times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')
/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** Maximum rows of one transaction: a longer one would block others by its locks, or the embedded database's only session. */
const MAX_ROWS = 20_000
/** The purge pauses while more buckets than this wait for a refresh. */
const MAX_MARKS = 5_000
/** After this time, no transaction that began before the deletion can still store rows. */
const SETTLED_MS = 10 * 60_000

interface Rest {
  events: Date | null
  sessions: Date | null
  revenue: Date | null
  mrrMovements: Date | null
}

const selectSites = statement<{ siteNo: number; deletedAt: Date }>('select-sites-to-purge')
const purgeRows = statement<{ count: number }>('purge-rows')
const findStart = statement<Rest>('find-purge-start')
const countDirty = statement<{ all: number; ofSite: number }>('count-dirty')
const allowPurge = statement('allow-purge')
const purgeMovements = statement('purge-movements')
const finishPurge = statement('finish-purge')

interface BucketCount {
  bucket: Date
  count: number
}

/** Hypertables that have continuous aggregates. They are large, and deletions must mark their buckets dirty. */
const AGGREGATED: { aggregate: Aggregate; count: Count; purge: ReturnType<typeof statement> }[] = [
  { aggregate: 'hits', count: statement('count-events-by-bucket'), purge: statement('purge-events') },
  { aggregate: 'sessions', count: statement('count-sessions-by-bucket'), purge: statement('purge-sessions') },
  { aggregate: 'revenue', count: statement('count-revenue-by-bucket'), purge: statement('purge-revenue') },
]
type Count = ReturnType<typeof statement<BucketCount>>

/**
 * Deletes rows of deleted sites for up to two seconds. The remaining rows are the only state: it is safe to stop at any
 * point, and the next run continues. A site is done when a pass finds no rows, no transaction can store new rows
 * (`SETTLED_MS`), and the site has no dirty buckets.
 */
export async function purgeDeletedSites(db: Db, now: Date): Promise<void> {
  const endsAt = performance.now() + BUDGET_MS
  const hasTime = () => performance.now() < endsAt
  for (const { siteNo, deletedAt } of await selectSites(db)) {
    if (!hasTime()) return
    const isEmpty = await purgeSite(db, siteNo, hasTime)
    if (!isEmpty || now.getTime() - deletedAt.getTime() < SETTLED_MS) continue
    const [marks] = await countDirty(db, siteNo)
    if (marks!.ofSite === 0) await finishPurge(db, siteNo, now)
  }
}

/** @returns true when there was nothing to delete */
async function purgeSite(db: Db, siteNo: number, hasTime: () => boolean): Promise<boolean> {
  let isEmpty = true
  for (;;) {
    const [gone] = await purgeRows(db, siteNo, MAX_ROWS)
    if (gone!.count === 0) break
    isEmpty = false
    if (!hasTime()) return false
  }
  for (let from = EARLIEST; ; ) {
    const day = await firstDay(db, siteNo, from)
    if (day === undefined) return isEmpty
    isEmpty = false
    const [marks] = await countDirty(db, siteNo)
    if (marks!.all > MAX_MARKS || !(await purgeDay(db, siteNo, day, hasTime))) return false
    from = new Date(day + DAY_MS)
  }
}

/** Returns the start of the first UTC day, from `from` on, on which the site has rows in a hypertable. */
async function firstDay(db: Db, siteNo: number, from: Date): Promise<number | undefined> {
  const [rest] = await findStart(db, siteNo, from)
  const times = Object.values(rest!).flatMap((at: Date | null) => (at ? [at.getTime()] : []))
  return times.length === 0 ? undefined : Math.floor(Math.min(...times) / DAY_MS) * DAY_MS
}

/** @returns false when the time limit stopped it before the end of the day */
async function purgeDay(db: Db, siteNo: number, day: number, hasTime: () => boolean): Promise<boolean> {
  const end = new Date(day + DAY_MS)
  await purgeMovements(db, siteNo, new Date(day), end)
  for (const { aggregate, count, purge } of AGGREGATED) {
    const slices = cut(await count(db, siteNo, new Date(day), end))
    for (const [index, buckets] of slices.entries()) {
      if (!hasTime()) return false
      const next = slices[index + 1]?.[0] ?? end
      await db.begin(async transaction => {
        await allowPurge(transaction)
        await purge(transaction, siteNo, buckets[0], next)
        // Mark the buckets dirty, like every write below the watermark: the refresh then removes the stale aggregate rows.
        const touched = buckets.map(bucket => ({ siteNo, at: bucket.getTime() }))
        await markBuckets(transaction, aggregate, touched)
      })
    }
  }
  return true
}

/** Splits consecutive buckets into slices of at most `MAX_ROWS` rows. A bucket with more rows is a slice by itself. */
function cut(counts: BucketCount[]): Date[][] {
  const slices: Date[][] = []
  let rows = Number.POSITIVE_INFINITY
  for (const { bucket, count } of counts) {
    rows += count
    if (rows <= MAX_ROWS) {
      slices.at(-1)!.push(bucket)
    } else {
      slices.push([bucket])
      rows = count
    }
  }
  return slices
}
