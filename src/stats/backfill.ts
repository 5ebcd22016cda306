import type { Db } from '../infra/db.ts'
import { type Lease, whenFree } from '../infra/lease.ts'
import { dayOf, localDay, startOfDay } from '../infra/local-time.ts'
import { AGGREGATE_NAMES, refreshWindow } from '../rollups/aggregates.ts'
import { mergeWindows } from '../rollups/folds/day-folds.ts'
import { foldDay } from '../rollups/folds/fold-day.ts'
import { foldSites, refoldWindow } from '../rollups/folds/fold-sites.ts'
import type { FoldedDay, Window } from '../rollups/protocol.ts'
import { type AnySite, findAllSites, findSiteAnywhere } from '../sites/find-anywhere.ts'

/** After which a round of folding looks anew at what there is to do. */
const FOLD_BUDGET_MS = 60_000

export interface BackfillOptions {
  /** Id or domain; every site unless given. */
  site?: string | undefined
  /** First and last local day, `Y-m-d`; from the first event to today unless given. */
  from?: string | undefined
  to?: string | undefined
}

export interface Backfilled {
  sites: number
  /** Local days of all sites together. */
  days: number
}

/**
 * Brings everything that is rolled up for days of sites up to date, whether it is known to be stale or not. Changes no
 * number. May be cut off at any point and run again, beside live traffic and the scheduler.
 * @param onProgress told the part that is done, 0 to 1
 * @throws AppError for an unknown site; Error for days in the wrong order
 */
export async function backfill(
  services: { db: Db; lease: Lease; now: () => Date },
  options: BackfillOptions,
  onProgress: (part: number) => void = () => {},
): Promise<Backfilled> {
  const { db, lease, now } = services
  const { from, to } = options
  if (from && to && from > to) throw new Error(`${from} comes after ${to}`)
  const sites = options.site ? [await findSiteAnywhere(db, options.site)] : await findAllSites(db)
  const spans = sites.map(site => spanOf(site, options, now()))
  if (from && spans.length > 0 && spans.every(({ days }) => days === 0)) {
    throw new Error(`${from} lies in the future`)
  }
  const asked = spans.filter(({ days }) => days > 0)
  const windows = mergeWindows(asked)
  const total = AGGREGATE_NAMES.length * lengthOf(windows) + lengthOf(asked)
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
  const fold = (day: FoldedDay) => whenFree(lease, () => foldDay(db, day))
  for (const span of asked) {
    await refoldWindow(db, now(), fold, span)
    done += span.end - span.start
    onProgress(done / total)
  }
  // Days that were never folded, of whatever site.
  while (await foldSites(db, now(), fold, { budgetMs: FOLD_BUDGET_MS })) {}
  return { sites: sites.length, days: spans.reduce((sum, { days }) => sum + days, 0) }
}

/** The days of a site as a span of time. Days after today hold nothing. */
function spanOf({ siteNo, timezone, firstEventAt }: AnySite, { from, to }: BackfillOptions, now: Date) {
  const today = localDay(timezone, now.getTime())
  const first = from ? dayOf(from) : firstEventAt ? localDay(timezone, firstEventAt.getTime()) : today
  const last = to ? Math.min(dayOf(to), today) : today
  const days = Math.max(0, last - first + 1)
  return { siteNo, days, start: startOfDay(timezone, first), end: startOfDay(timezone, last + 1) }
}

const lengthOf = (windows: Window[]): number => windows.reduce((sum, { start, end }) => sum + end - start, 0)
