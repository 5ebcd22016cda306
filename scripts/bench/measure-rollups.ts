import { type Db, statement } from '../../src/infra/db.ts'
import { foldDay } from '../../src/rollups/folds/fold-day.ts'
import { horizonOf } from '../../src/rollups/folds/horizon.ts'
import { daysFrom } from '../../src/rollups/folds/local-days.ts'
import type { Window } from '../../src/rollups/protocol.ts'
import { median } from './table.ts'

const countEventsByBucket = statement<{ bucket: Date; count: number }>('count-events-by-bucket')

/** Each day is rolled up this often, and its quickest time counts: another process' turn is none of its own. */
const CALLS = 2
/** Days with less than this part of the median day's hits are left out: what a day costs at least would be all of it. */
const LEAST_HITS = 0.1

interface RolledDay {
  start: number
  hits: number
  ms: number
}

export interface RolledDays {
  days: number
  /** Milliseconds for 1,000 hits of the day. */
  median: number
  worst: number
  worstDay: RolledDay
}

/**
 * Rolls up every day of a window from its hits, whether it is rolled up already or not, and times it.
 * @param site its days are those of `zone`
 */
export async function measureRollups(
  db: Db,
  site: { siteNo: number; zone: string },
  window: Window,
  now: Date,
): Promise<RolledDays> {
  const { siteNo, zone } = site
  const { horizon } = await horizonOf(db, now)
  const buckets = await countEventsByBucket(db, siteNo, new Date(window.start), new Date(window.end))
  const rolled: RolledDay[] = []
  for (const day of daysFrom(zone, window.start, window.end)) {
    const within = buckets.filter(({ bucket }) => bucket.getTime() >= day.start && bucket.getTime() < day.end)
    const hits = within.reduce((sum, { count }) => sum + count, 0)
    if (hits === 0) continue
    let ms = Number.POSITIVE_INFINITY
    for (let call = 0; call < CALLS; call++) {
      const startedAt = performance.now()
      await foldDay(db, { ...day, siteNo, zone, foldedTo: horizon, isAnew: true, marks: [] })
      ms = Math.min(ms, performance.now() - startedAt)
    }
    rolled.push({ start: day.start, hits, ms })
  }
  return summarize(rolled)
}

/** @throws Error without a day that has hits */
export function summarize(rolled: readonly RolledDay[]): RolledDays {
  const least = LEAST_HITS * median(rolled.map(({ hits }) => hits))
  const comparable = rolled.filter(({ hits }) => hits >= least)
  const cost = ({ ms, hits }: RolledDay) => (1_000 * ms) / hits
  const [worstDay] = comparable.toSorted((a, b) => cost(b) - cost(a))
  if (!worstDay) throw new Error('there is no day with hits')
  return { days: comparable.length, median: median(comparable.map(cost)), worst: cost(worstDay), worstDay }
}
