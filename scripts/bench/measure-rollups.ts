import { countByBucket } from '../../src/outgoing/retention/delete-days.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { daysFrom } from '../../src/storage/rollups/daily/roll-up-again.ts'
import { rollUpDay } from '../../src/storage/rollups/daily/roll-up-day.ts'
import { datesOf, type Window } from '../../src/storage/rollups/protocol.ts'
import { median } from './table.ts'

/** Calls for each day. The fastest one counts, because other processes may delay a call. */
const CALLS = 2
/** Days with less than this share of the median day's hits are excluded: the fixed cost of a day would dominate their time. */
const LEAST_HITS = 0.1

interface RolledDay {
  start: number
  hits: number
  ms: number
}

export interface RolledDays {
  days: number
  /** Milliseconds per 1,000 hits of a day; `worst` has the same unit. */
  median: number
  worst: number
  worstDay: RolledDay
}

/**
 * Rolls up every day of a window again from its hits, even when it has a rollup, and measures the time.
 * @param site the site, whose days are in the time zone `zone`
 */
export async function measureRollups(
  db: Db,
  site: { siteNo: number; zone: string },
  window: Window,
): Promise<RolledDays> {
  const { siteNo, zone } = site
  const buckets = await countByBucket.events!(db, { siteNo, ...datesOf(window) })
  const rolled: RolledDay[] = []
  for (const day of daysFrom(zone, window.start, window.end)) {
    const within = buckets.filter(({ bucket }) => bucket.getTime() >= day.start && bucket.getTime() < day.end)
    const hits = within.reduce((sum, { count }) => sum + count, 0)
    if (hits === 0) continue
    let ms = Number.POSITIVE_INFINITY
    for (let call = 0; call < CALLS; call++) {
      const startedAt = performance.now()
      await rollUpDay(db, { ...day, siteNo, zone, marks: [] })
      ms = Math.min(ms, performance.now() - startedAt)
    }
    rolled.push({ start: day.start, hits, ms })
  }
  return summarize(rolled)
}

/**
 * Computes the median and the worst cost of the days.
 * @throws Error when no day has hits
 */
export function summarize(rolled: readonly RolledDay[]): RolledDays {
  const least = LEAST_HITS * median(rolled.map(({ hits }) => hits))
  const comparable = rolled.filter(({ hits }) => hits >= least)
  const cost = ({ ms, hits }: RolledDay) => (1_000 * ms) / hits
  const [worstDay] = comparable.toSorted((a, b) => cost(b) - cost(a))
  if (!worstDay) throw new Error('there is no day with hits')
  return { days: comparable.length, median: median(comparable.map(cost)), worst: cost(worstDay), worstDay }
}
