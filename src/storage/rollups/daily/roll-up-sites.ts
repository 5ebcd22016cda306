import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DIMENSIONS_HASH } from '../../../platform/dimensions/rolled-up.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import { arraysOf, datesOf, type Window } from '../protocol.ts'
import { moveRollupWatermark, noteRefreshed } from '../watermarks.ts'
import { readDailyRollups } from './coverage.ts'
import {
  dayAround,
  daysFrom,
  findGrown,
  type RollUpDay,
  type Round,
  rollUpMarked,
  rollUpOtherDimensions,
} from './roll-up-again.ts'
import { forgetRollups } from './roll-up-day.ts'
import { serializeVisitors } from './visitor-set.ts'

/** Lower bound of all hit times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')

interface RolledUpSite {
  siteNo: number
  timezone: string
  firstEventAt: Date
  rolledUpZone: string | null
  rolledUpFrom: Date | null
}

const findNewestHit = query<{ siteNo: number; start: Date; end: Date }, { at: number | null }>(
  'find-newest-hit',
  `select (extract(epoch from max(at)) * 1000)::bigint as at
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

const selectSites = query<void, RolledUpSite>('select-sites-to-roll-up')

/** Sites whose rollups grow: the statements for a site cost more than finding out that it was quiet. */
const selectSitesToGrow = query<{ watermark: Date }, RolledUpSite>('select-sites-to-grow')

const upsertSpan = query<{ siteNo: number; timezone: string; rolledUpFrom: Date }>(
  'upsert-rollup-span',
  `
  insert into rollup_spans (site_no, timezone, rolled_up_from)
  values (:siteNo::int, :timezone::text, :rolledUpFrom::timestamptz)
  on conflict (site_no) do update set timezone = excluded.timezone, rolled_up_from = excluded.rolled_up_from`,
)

const insertEmptyRollups = query<{
  siteNo: number
  starts: Date[]
  ends: Date[]
  noVisitors: Buffer
  dimensionsHash: string
}>(
  'insert-empty-daily-rollups',
  `
  insert into daily_rollups (
    site_no, starts_at, ends_at, pageviews, custom_events, sessions, bounces, duration_ms, visitors, dimensions_hash
  )
  select :siteNo::int, starts_at, ends_at, 0, 0, 0, 0, 0, :noVisitors::bytea, :dimensionsHash
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  on conflict (site_no, starts_at, ends_at) do nothing`,
)

/**
 * Rolls up the days of all sites that are over: first new days, then marked days, then days that were rolled up with other
 * dimensions, then the past, newest day first. Changes no number that a reader gets. It is safe to stop it at any point and run it
 * again. Only one call may run at a time in the whole cluster.
 * @param options.budgetMs time limit; after it, work stops before the next day
 * @returns true when there is more to do
 */
export async function rollUpSites(
  db: Db,
  now: Date,
  rollUp: RollUpDay,
  { budgetMs }: { budgetMs: number },
): Promise<boolean> {
  const hasTime = limitTime(budgetMs)
  const { watermark, refreshedTo } = await moveRollupWatermark(db, now)
  const round: Round = { db, rollUp, watermark, hasTime }
  if (refreshedTo !== watermark) {
    if (!(await growRollups(round))) return true
    await noteRefreshed(db, { aggregate: 'daily_rollups', refreshedTo: new Date(watermark) })
  }
  const isDone =
    (await rollUpMarked(round)) && (await rollUpOtherDimensions(round)) && (await rollUpPast(round))
  return !isDone
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
  const hasTime = limitTime(budgetMs)
  const { watermark } = await moveRollupWatermark(db, now)
  const round: Round = { db, rollUp, watermark, hasTime }
  // A site needs a span before any rollup.
  for (const site of await selectSites(db)) {
    if (!site.rolledUpFrom) await startSpan(round, site)
  }
  await rollUpMarked(round, until)
}

/** @returns true when all sites were brought up to the watermark */
async function growRollups(round: Round): Promise<boolean> {
  const sites = await selectSitesToGrow(round.db, { watermark: new Date(round.watermark) })
  for (const site of sites) {
    await startSpan(round, site)
    const [grown] = await findGrown(round.db, { siteNos: [site.siteNo] })
    if (!grown) continue
    for (const day of daysFrom(site.timezone, grown.grownTo, round.watermark)) {
      if (!round.hasTime()) return false
      if (day.end <= round.watermark) await rollUpNewDay(round, site, day)
    }
  }
  return true
}

/**
 * Returns the start of a site's span, and creates the span when there is none. Rollups start with the first day that is not over, and
 * then extend into the past. A time-zone change invalidates all rollups of the site.
 * @returns the first rolled-up moment, Unix milliseconds; undefined while the site has nothing to roll up
 */
async function startSpan({ db, watermark }: Round, site: RolledUpSite): Promise<number | undefined> {
  const { siteNo, timezone, firstEventAt, rolledUpZone, rolledUpFrom } = site
  if (rolledUpFrom && rolledUpZone === timezone) return rolledUpFrom.getTime()
  if (rolledUpFrom) await forgetRollups(db, siteNo)
  if (firstEventAt.getTime() >= watermark) return undefined
  const from = dayAround(timezone, watermark - 1).start
  await upsertSpan(db, { siteNo, timezone, rolledUpFrom: new Date(from) })
  return from
}

async function rollUpNewDay(
  { db, rollUp }: Round,
  { siteNo, timezone }: RolledUpSite,
  day: Window,
): Promise<void> {
  const [newest] = await findNewestHit(db, { siteNo, ...datesOf(day) })
  if (newest!.at === null) await insertEmpty(db, siteNo, [day])
  else await rollUp({ ...day, siteNo, zone: timezone, marks: [] })
}

/** @returns true when all sites are rolled up back to their first event */
async function rollUpPast(round: Round): Promise<boolean> {
  const { db, rollUp, hasTime } = round
  for (const site of await selectSites(db)) {
    const { siteNo, timezone, firstEventAt } = site
    let from = await startSpan(round, site)
    while (from !== undefined && from > firstEventAt.getTime()) {
      if (!hasTime()) return false
      const [newest] = await findNewestHit(db, { siteNo, start: EARLIEST, end: new Date(from) })
      const day = dayAround(timezone, newest!.at ?? firstEventAt.getTime())
      await insertEmpty(db, siteNo, [...daysFrom(timezone, day.end, from)])
      if (!(await isRolledUp(db, siteNo, day))) await rollUp({ ...day, siteNo, zone: timezone, marks: [] })
      from = day.start
      await upsertSpan(db, { siteNo, timezone, rolledUpFrom: new Date(from) })
    }
  }
  return true
}

/** Returns true when an import has rolled up the day already and the day has not changed since. */
async function isRolledUp(db: Db, siteNo: number, day: Window): Promise<boolean> {
  const rollups = (await readDailyRollups(db, [siteNo], day)).get(siteNo)!
  return rollups.some(({ start, end }) => start === day.start && end === day.end)
}

async function insertEmpty(db: Db, siteNo: number, days: Window[]): Promise<void> {
  if (days.length === 0) return
  await insertEmptyRollups(db, {
    siteNo,
    ...arraysOf(days.map(day => ({ ...day, siteNo }))),
    noVisitors: serializeVisitors([]),
    dimensionsHash: DIMENSIONS_HASH,
  })
}
