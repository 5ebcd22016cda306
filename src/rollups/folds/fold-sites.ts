import { type Db, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { OPEN_MS } from './cover.ts'
import { readDayFolds } from './day-folds.ts'
import { forgetFolds } from './fold-day.ts'
import { horizonOf } from './horizon.ts'
import { dayAround, daysFrom } from './local-days.ts'
import { SILENCE_MS } from './portion.ts'
import { refoldMarked } from './refold-marked.ts'
import { type FoldDay, findSpans, type Round } from './round.ts'

/** No hit is older. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')

interface FoldedSite {
  siteNo: number
  timezone: string
  firstEventAt: Date
  foldedZone: string | null
  foldedFrom: Date | null
}

const selectSites = statement<FoldedSite>('select-sites-to-fold')
const upsertSpan = statement('upsert-fold-span')
const selectOpenFolds = statement<Window & { hasHits: boolean }>('select-open-folds')
const selectFoldsToRenew = statement<Window>('select-folds-to-renew')
const findNewestFold = statement<{ end: number | null }>('find-newest-fold')
const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const insertEmptyFolds = statement('insert-empty-folds')
const advanceFold = statement('advance-fold')
const noteRefreshed = statement('note-refreshed')

/**
 * Brings the folds of all sites up to now: of days that go on, of days that were marked, then of the past, the newest day
 * first. Changes no number. May be cut off at any point and run again. One at a time in the whole cluster.
 * @param options.budgetMs after which it stops at the next day
 * @returns true when there is more to do
 */
export async function foldSites(
  db: Db,
  now: Date,
  fold: FoldDay,
  { budgetMs }: { budgetMs: number },
): Promise<boolean> {
  const endsAt = performance.now() + budgetMs
  const { horizon, refreshedTo } = await horizonOf(db, now)
  const round: Round = { db, fold, horizon, hasTime: () => performance.now() < endsAt }
  if (refreshedTo !== horizon) {
    if (!(await growFolds(round))) return true
    await noteRefreshed(db, 'folds', new Date(horizon))
  }
  return !((await refoldMarked(round)) && (await foldPast(round)))
}

/**
 * Folds the marked days that end before `until`, also those that no round has come to yet: what an import that goes on has
 * left behind. As `foldSites` in everything else.
 * @param options.until Unix milliseconds
 */
export async function foldBehind(
  db: Db,
  now: Date,
  fold: FoldDay,
  { until, budgetMs }: { until: number; budgetMs: number },
): Promise<void> {
  const endsAt = performance.now() + budgetMs
  const { horizon } = await horizonOf(db, now)
  const round: Round = { db, fold, horizon, hasTime: () => performance.now() < endsAt }
  // Without a span nothing of a site is folded. Today first: after the newest fold every day is expected to have one.
  for (const site of await selectSites(db, false)) if (!site.foldedFrom) await growSite(round, site)
  await refoldMarked(round, until)
}

/**
 * Folds the days of a site's window anew that are folded, whether they are known to have changed or not.
 * As `foldSites` in everything else.
 */
export async function refoldWindow(
  db: Db,
  now: Date,
  fold: FoldDay,
  { siteNo, start, end }: Window & { siteNo: number },
): Promise<void> {
  const { horizon } = await horizonOf(db, now)
  const [span] = await findSpans(db, [siteNo])
  if (!span) return
  for (const day of await selectFoldsToRenew(db, siteNo, new Date(start), new Date(end))) {
    await fold({ ...day, siteNo, zone: span.foldedZone, foldedTo: horizon, isAnew: true, marks: [] })
  }
}

/** @returns true when all of it was done */
async function growFolds(round: Round): Promise<boolean> {
  for (const site of await selectSites(round.db, true)) {
    if (!round.hasTime()) return false
    await growSite(round, site)
  }
  return true
}

async function growSite(round: Round, site: FoldedSite): Promise<void> {
  const { db, horizon } = round
  const foldedFrom = await startSpan(round, site)
  if (foldedFrom === undefined) return
  const { siteNo, timezone } = site
  const silence = `${SILENCE_MS} milliseconds`
  const open = await selectOpenFolds(db, siteNo, new Date(horizon), `${OPEN_MS} milliseconds`, silence)
  for (const { hasHits, ...day } of open) {
    if (hasHits)
      await round.fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: false, marks: [] })
    else await advanceFold(db, siteNo, new Date(day.start), new Date(day.end), new Date(horizon))
  }
  const [newest] = await findNewestFold(db, siteNo)
  for (const day of daysFrom(timezone, newest!.end ?? foldedFrom, horizon)) await foldNewDay(round, site, day)
}

/**
 * A site is folded from the day on on which it is seen first, and from there back. After a change of its time zone it
 * begins anew: its days are others.
 * @returns from when on it is folded; undefined while it has nothing to fold
 */
async function startSpan({ db, horizon }: Round, site: FoldedSite): Promise<number | undefined> {
  const { siteNo, timezone, firstEventAt, foldedZone, foldedFrom } = site
  if (foldedFrom && foldedZone === timezone) return foldedFrom.getTime()
  if (foldedFrom) await forgetFolds(db, siteNo)
  if (firstEventAt.getTime() >= horizon) return undefined
  const from = dayAround(timezone, horizon - 1).start
  await upsertSpan(db, siteNo, timezone, new Date(from))
  return from
}

async function foldNewDay(
  { db, fold, horizon }: Round,
  { siteNo, timezone }: FoldedSite,
  day: Window,
): Promise<void> {
  const until = new Date(Math.min(day.end, horizon))
  const [newest] = await findNewestHit(db, siteNo, new Date(day.start), until)
  if (newest!.at === null) await insertEmpty(db, siteNo, [day], horizon)
  else await fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: true, marks: [] })
}

/** @returns true when all of it was done */
async function foldPast(round: Round): Promise<boolean> {
  const { db, fold, horizon, hasTime } = round
  for (const site of await selectSites(db, false)) {
    const { siteNo, timezone, firstEventAt } = site
    let from = await startSpan(round, site)
    while (from !== undefined && from > firstEventAt.getTime()) {
      if (!hasTime()) return false
      const [newest] = await findNewestHit(db, siteNo, EARLIEST, new Date(from))
      const day = dayAround(timezone, newest!.at ?? firstEventAt.getTime())
      await insertEmpty(db, siteNo, [...daysFrom(timezone, day.end, from)], horizon)
      if (!(await isFolded(db, siteNo, day)))
        await fold({ ...day, siteNo, zone: timezone, foldedTo: horizon, isAnew: true, marks: [] })
      from = day.start
      await upsertSpan(db, siteNo, timezone, new Date(from))
    }
  }
  return true
}

/** Whether an import has folded the day already, and nothing of it changed since. */
async function isFolded(db: Db, siteNo: number, day: Window): Promise<boolean> {
  const folds = (await readDayFolds(db, [siteNo], day)).get(siteNo)!
  return folds.some(({ start, end }) => start === day.start && end === day.end)
}

async function insertEmpty(db: Db, siteNo: number, days: Window[], horizon: number): Promise<void> {
  if (days.length === 0) return
  const nobody = VisitorSet.from()
  await insertEmptyFolds(
    db,
    siteNo,
    days.map(day => new Date(day.start).toISOString()),
    days.map(day => new Date(day.end).toISOString()),
    new Date(horizon),
    nobody.serialize(),
  )
  nobody.free()
}
