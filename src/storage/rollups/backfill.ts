import type { Db } from '../../platform/db/connect.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { type Lease, whenFree } from '../../platform/redis/lease.ts'
import { dayOf, localDay, startOfDay } from '../../platform/time/local-time.ts'
import { AGGREGATE_NAMES, refreshWindow } from './aggregates.ts'
import { mergeWindows } from './daily/coverage.ts'
import { rollUpWindow } from './daily/roll-up-again.ts'
import { rollUpDay } from './daily/roll-up-day.ts'
import { rollUpSites } from './daily/roll-up-sites.ts'
import type { RolledUpDay, Window } from './protocol.ts'

/** After this time, a round of rollups ends, and the next round reads again which days are missing. */
const ROLLUP_BUDGET_MS = MINUTE_MS

/** Of a site: its number, its zone, and between which times it has hits and sessions. */
interface CountedSite {
  siteNo: number
  timezone: string
  firstEventAt: Date | null
  detailsFrom: Date | null
}

export interface BackfilledDays {
  /** First and last local day, `Y-m-d`; default: from the first event to today. */
  from?: string | undefined
  to?: string | undefined
}

/**
 * Rebuilds all aggregates and rollups for days of sites, whether they are marked as stale or not. Correct numbers do not
 * change. It may be interrupted at any point and run again, at the same time as live traffic and the scheduler.
 * @param onProgress receives the completed part, 0 to 1
 * @returns the number of sites, and of local days of all sites together
 * @throws Error for days in the wrong order or in the future
 */
export async function backfill(
  services: { db: Db; lease: Lease; now: () => Date },
  sites: readonly CountedSite[],
  asked: BackfilledDays,
  onProgress: (part: number) => void = () => {},
) {
  const { db, lease, now } = services
  const { from, to } = asked
  if (from && to && from > to) throw new Error(`${from} comes after ${to}`)
  const spans = sites.map(site => spanOf(site, asked, now()))
  if (from && spans.length > 0 && spans.every(({ isFuture }) => isFuture)) {
    throw new Error(`${from} lies in the future`)
  }
  const requested = spans.filter(({ days }) => days > 0)
  const windows = mergeWindows(requested)
  const total = AGGREGATE_NAMES.length * lengthOf(windows) + lengthOf(requested)
  let done = 0
  for (const window of windows) {
    for (const aggregate of AGGREGATE_NAMES) {
      await whenFree(lease, () =>
        refreshWindow(db, aggregate, window, now(), until =>
          onProgress((done + until - window.start) / total),
        ),
      )
      done += window.end - window.start
      onProgress(done / total)
    }
  }
  const rollUp = (day: RolledUpDay) => whenFree(lease, () => rollUpDay(db, day))
  for (const span of requested) {
    await rollUpWindow(db, rollUp, span)
    done += span.end - span.start
    onProgress(done / total)
  }
  // Days without a rollup, of all sites.
  while (await rollUpSites(db, now(), rollUp, { budgetMs: ROLLUP_BUDGET_MS })) {}
  return { sites: sites.length, days: spans.reduce((sum, { days }) => sum + days, 0) }
}

/**
 * Returns the days of a site as a time span that ends with today at the latest: later days have no data. Days before its
 * details_from are left out: they cannot be counted again.
 */
function spanOf(
  { siteNo, timezone, firstEventAt, detailsFrom }: CountedSite,
  { from, to }: BackfilledDays,
  now: Date,
) {
  const today = localDay(timezone, now.getTime())
  const firstGiven = from ? dayOf(from) : firstEventAt ? localDay(timezone, firstEventAt.getTime()) : today
  const first = detailsFrom ? Math.max(firstGiven, localDay(timezone, detailsFrom.getTime())) : firstGiven
  const last = to ? Math.min(dayOf(to), today) : today
  const days = Math.max(0, last - first + 1)
  const isFuture = firstGiven > today
  return { siteNo, days, isFuture, start: startOfDay(timezone, first), end: startOfDay(timezone, last + 1) }
}

const lengthOf = (windows: Window[]): number => windows.reduce((sum, { start, end }) => sum + end - start, 0)
