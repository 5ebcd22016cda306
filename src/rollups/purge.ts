import { type Db, statement } from '../infra/db.ts'
import type { Aggregate } from './aggregates.ts'
import { markBuckets } from './dirty.ts'

const DAY_MS = 86_400_000
/** No hit is older. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')
/**
 * What a run may take. Between runs the other jobs have their turn, and a process that is told to stop waits no longer
 * than this.
 */
const BUDGET_MS = 2_000
/** Rows of one transaction, so that none holds its locks, or the embedded database's only session, for long. */
const MAX_ROWS = 20_000
/** While more buckets than this wait to be refreshed, the purge waits for the refresh. */
const MAX_MARKS = 5_000
/** After this, no transaction that began before the deletion can still store something. */
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

/** The hypertables under the aggregates: large, and read by marks. */
const AGGREGATED: { aggregate: Aggregate; count: Count; purge: ReturnType<typeof statement> }[] = [
  { aggregate: 'hits', count: statement('count-events-by-bucket'), purge: statement('purge-events') },
  { aggregate: 'sessions', count: statement('count-sessions-by-bucket'), purge: statement('purge-sessions') },
  { aggregate: 'revenue', count: statement('count-revenue-by-bucket'), purge: statement('purge-revenue') },
]
type Count = ReturnType<typeof statement<BucketCount>>

/**
 * Removes what deleted sites have left, for two seconds. What is left is itself the state of the work: it may be cut off
 * at any point, and goes on with the next run. A site is done when a pass has found nothing, at a time at which nothing
 * can come any more, and its aggregates are refreshed.
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

/** @returns true when nothing was there to remove */
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

/** The first UTC day from `from` on, as its start, of which the site has something in a hypertable. */
async function firstDay(db: Db, siteNo: number, from: Date): Promise<number | undefined> {
  const [rest] = await findStart(db, siteNo, from)
  const times = Object.values(rest!).flatMap((at: Date | null) => (at ? [at.getTime()] : []))
  return times.length === 0 ? undefined : Math.floor(Math.min(...times) / DAY_MS) * DAY_MS
}

/** @returns false when there was no time to finish it */
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
        // As whoever writes below the horizon does: the refresh then takes the stale rows away.
        const touched = buckets.map(bucket => ({ siteNo, at: bucket.getTime() }))
        await markBuckets(transaction, aggregate, touched)
      })
    }
  }
  return true
}

/** Consecutive buckets in slices of at most `MAX_ROWS` rows, or of one bucket that has more. */
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
