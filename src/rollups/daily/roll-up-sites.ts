import { type Db, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { OPEN_MS } from './cover.ts'
import { readDailyRollups } from './daily-rollups.ts'
import { dayAround, daysFrom } from './local-days.ts'
import { forgetRollups } from './roll-up-day.ts'
import { rollUpAgainMarked } from './roll-up-marked.ts'
import { findSpans, type RollUpDay, type Round } from './round.ts'
import { SILENCE_MS } from './row-slice.ts'
import { watermarkOf } from './watermark.ts'

/** Lower bound of all hit times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')

interface RolledUpSite {
  siteNo: number
  timezone: string
  firstEventAt: Date
  rolledUpZone: string | null
  rolledUpFrom: Date | null
}

const selectSites = statement<RolledUpSite>('select-sites-to-roll-up')
const upsertSpan = statement('upsert-rollup-span')
const selectOpenRollups = statement<Window & { hasHits: boolean }>('select-open-daily-rollups')
const selectRollupsToRenew = statement<Window>('select-daily-rollups-to-renew')
const findNewestRollup = statement<{ end: number | null }>('find-newest-daily-rollup')
const findNewestHit = statement<{ at: number | null }>('find-newest-hit')
const insertEmptyRollups = statement('insert-empty-daily-rollups')
const advanceRollup = statement('advance-daily-rollup')
const noteRefreshed = statement('note-refreshed')

/**
 * Brings the rollups of all sites up to the watermark: first open days, then marked days, then the past, newest day first.
 * Changes no number that a reader gets. It is safe to stop it at any point and run it again. Only one call may run at a time
 * in the whole cluster.
 * @param options.budgetMs time limit; after it, work stops before the next day
 * @returns true when there is more to do
 */
export async function rollUpSites(
  db: Db,
  now: Date,
  rollUp: RollUpDay,
  { budgetMs }: { budgetMs: number },
): Promise<boolean> {
  const endsAt = performance.now() + budgetMs
  const { watermark, refreshedTo } = await watermarkOf(db, now)
  const round: Round = { db, rollUp, watermark, hasTime: () => performance.now() < endsAt }
  if (refreshedTo !== watermark) {
    if (!(await growRollups(round))) return true
    await noteRefreshed(db, 'daily_rollups', new Date(watermark))
  }
  return !((await rollUpAgainMarked(round)) && (await rollUpPast(round)))
}

/**
 * Rolls up marked days that end by `until`, including days that have no rollup yet. A running import uses it for the days
 * that it has finished. Otherwise the same rules as for `rollUpSites` apply.
 * @param options.until Unix milliseconds
 */
export async function rollUpBehind(
  db: Db,
  now: Date,
  rollUp: RollUpDay,
  { until, budgetMs }: { until: number; budgetMs: number },
): Promise<void> {
  const endsAt = performance.now() + budgetMs
  const { watermark } = await watermarkOf(db, now)
  const round: Round = { db, rollUp, watermark, hasTime: () => performance.now() < endsAt }
  // A site needs a span before any rollup. It starts with today, because every day after the newest rollup must have one.
  for (const site of await selectSites(db, false)) if (!site.rolledUpFrom) await growSite(round, site)
  await rollUpAgainMarked(round, until)
}

/**
 * Rebuilds the existing rollups of a site inside a window from raw rows, even when no mark says that they changed.
 * Otherwise the same rules as for `rollUpSites` apply.
 */
export async function rollUpAgainWindow(
  db: Db,
  now: Date,
  rollUp: RollUpDay,
  { siteNo, start, end }: Window & { siteNo: number },
): Promise<void> {
  const { watermark } = await watermarkOf(db, now)
  const [span] = await findSpans(db, [siteNo])
  if (!span) return
  for (const day of await selectRollupsToRenew(db, siteNo, new Date(start), new Date(end))) {
    await rollUp({ ...day, siteNo, zone: span.rolledUpZone, rolledUpTo: watermark, isAnew: true, marks: [] })
  }
}

/** @returns true when all sites were brought up to the watermark */
async function growRollups(round: Round): Promise<boolean> {
  for (const site of await selectSites(round.db, true)) {
    if (!round.hasTime()) return false
    await growSite(round, site)
  }
  return true
}

async function growSite(round: Round, site: RolledUpSite): Promise<void> {
  const { db, watermark } = round
  const rolledUpFrom = await startSpan(round, site)
  if (rolledUpFrom === undefined) return
  const { siteNo, timezone } = site
  const silence = `${SILENCE_MS} milliseconds`
  const open = await selectOpenRollups(db, siteNo, new Date(watermark), `${OPEN_MS} milliseconds`, silence)
  for (const { hasHits, ...day } of open) {
    if (hasHits)
      await round.rollUp({ ...day, siteNo, zone: timezone, rolledUpTo: watermark, isAnew: false, marks: [] })
    else await advanceRollup(db, siteNo, new Date(day.start), new Date(day.end), new Date(watermark))
  }
  const [newest] = await findNewestRollup(db, siteNo)
  for (const day of daysFrom(timezone, newest!.end ?? rolledUpFrom, watermark))
    await rollUpNewDay(round, site, day)
}

/**
 * Returns the start of a site's span, and creates the span when there is none. Rollups start with the current day and
 * then extend into the past. A time-zone change invalidates all rollups of the site.
 * @returns the first rolled-up moment, Unix milliseconds; undefined while the site has nothing to roll up
 */
async function startSpan({ db, watermark }: Round, site: RolledUpSite): Promise<number | undefined> {
  const { siteNo, timezone, firstEventAt, rolledUpZone, rolledUpFrom } = site
  if (rolledUpFrom && rolledUpZone === timezone) return rolledUpFrom.getTime()
  if (rolledUpFrom) await forgetRollups(db, siteNo)
  if (firstEventAt.getTime() >= watermark) return undefined
  const from = dayAround(timezone, watermark - 1).start
  await upsertSpan(db, siteNo, timezone, new Date(from))
  return from
}

async function rollUpNewDay(
  { db, rollUp, watermark }: Round,
  { siteNo, timezone }: RolledUpSite,
  day: Window,
): Promise<void> {
  const until = new Date(Math.min(day.end, watermark))
  const [newest] = await findNewestHit(db, siteNo, new Date(day.start), until)
  if (newest!.at === null) await insertEmpty(db, siteNo, [day], watermark)
  else await rollUp({ ...day, siteNo, zone: timezone, rolledUpTo: watermark, isAnew: true, marks: [] })
}

/** @returns true when all sites are rolled up back to their first event */
async function rollUpPast(round: Round): Promise<boolean> {
  const { db, rollUp, watermark, hasTime } = round
  for (const site of await selectSites(db, false)) {
    const { siteNo, timezone, firstEventAt } = site
    let from = await startSpan(round, site)
    while (from !== undefined && from > firstEventAt.getTime()) {
      if (!hasTime()) return false
      const [newest] = await findNewestHit(db, siteNo, EARLIEST, new Date(from))
      const day = dayAround(timezone, newest!.at ?? firstEventAt.getTime())
      await insertEmpty(db, siteNo, [...daysFrom(timezone, day.end, from)], watermark)
      if (!(await isRolledUp(db, siteNo, day)))
        await rollUp({ ...day, siteNo, zone: timezone, rolledUpTo: watermark, isAnew: true, marks: [] })
      from = day.start
      await upsertSpan(db, siteNo, timezone, new Date(from))
    }
  }
  return true
}

/** Returns true when an import has rolled up the day already and the day has not changed since. */
async function isRolledUp(db: Db, siteNo: number, day: Window): Promise<boolean> {
  const rollups = (await readDailyRollups(db, [siteNo], day)).get(siteNo)!
  return rollups.some(({ start, end }) => start === day.start && end === day.end)
}

async function insertEmpty(db: Db, siteNo: number, days: Window[], watermark: number): Promise<void> {
  if (days.length === 0) return
  const nobody = VisitorSet.from()
  await insertEmptyRollups(
    db,
    siteNo,
    days.map(day => new Date(day.start).toISOString()),
    days.map(day => new Date(day.end).toISOString()),
    new Date(watermark),
    nobody.serialize(),
  )
  nobody.free()
}
