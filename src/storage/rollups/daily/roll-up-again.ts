import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DIMENSIONS_HASH } from '../../../platform/dimensions/rolled-up.ts'
import { localDay, startOfDay } from '../../../platform/time/local-time.ts'
import { MAX_MARKS, type Mark, readMarks, removeMarks } from '../dirty.ts'
import { datesOf, type RolledUpDay, type Window } from '../protocol.ts'
import { findSpans } from './roll-up-day.ts'

/** Runs `rollUpDay` in this thread or in another one. */
export type RollUpDay = (day: RolledUpDay) => Promise<unknown>

/** Dependencies and time limit of one round of rollup work. */
export interface Round {
  db: Db
  rollUp: RollUpDay
  /** Days that end by this time are over, Unix milliseconds. */
  watermark: number
  hasTime: () => boolean
}

/** Local day of a site; `zone` is the time zone of the site's rollups. */
interface SiteDay extends Window {
  siteNo: number
  zone: string
}

/**
 * Returns the time zone of the days of sites, and up to where all days are rolled up from the start of their span on, Unix milliseconds.
 * Sites without a span are left out. A marked day before the span may be the newest one that has a rollup.
 */
export const findGrown = query<
  { siteNos: readonly number[] },
  { siteNo: number; zone: string; grownTo: number }
>(
  'find-grown-rollups',
  `
  select
    rollup_spans.site_no as "siteNo",
    timezone as zone,
    (extract(epoch from greatest(rolled_up_from, newest.ends_at)) * 1000)::bigint as "grownTo"
  from rollup_spans
  left join lateral (
    select ends_at
    from daily_rollups
    where daily_rollups.site_no = rollup_spans.site_no
    order by starts_at desc
    limit 1
  ) as newest on true
  where rollup_spans.site_no = any(:siteNos::int[])`,
)

/** Returns the local day that contains an instant. */
export function dayAround(zone: string, at: number): Window {
  const day = localDay(zone, at)
  return { start: startOfDay(zone, day), end: startOfDay(zone, day + 1) }
}

/** Returns the local days that begin in [from, end). Each day is returned once, even when a time zone skipped a day. */
export function* daysFrom(zone: string, from: number, end: number): Generator<Window> {
  for (let day = dayAround(zone, from); day.start < end; day = dayAround(zone, day.end)) {
    if (day.start >= from) yield day
  }
}

/**
 * Builds the rollups of marked days, newest day first. Days before the span of a site get one, too; days after its newest rollup get
 * theirs in order, so that none is left out.
 * @param until only days that end by then, Unix milliseconds
 * @returns true when it has handled all marks
 */
export async function rollUpMarked(round: Round, until?: number): Promise<boolean> {
  const { db, rollUp, watermark, hasTime } = round
  const marks = await readMarks(db, 'daily_rollups', until === undefined ? {} : { end: until })
  if (marks.length === 0) return true
  const sites = await findGrown(db, { siteNos: [...new Set(marks.map(({ siteNo }) => siteNo))] })
  const grown = new Map(sites.map(site => [site.siteNo, site]))
  const days = new Map<string, { day: SiteDay; marks: RolledUpDay['marks'] }>()
  const idle: Mark[] = []
  for (const mark of marks) {
    const { siteNo, version } = mark
    const bucket = mark.bucket.getTime()
    const site = grown.get(siteNo)
    if (!site) {
      idle.push(mark)
      continue
    }
    const { zone, grownTo } = site
    const day = dayAround(zone, bucket)
    if (day.start >= grownTo) {
      if (day.end > watermark) idle.push(mark)
      continue
    }
    if (until !== undefined && day.end > until) continue
    const key = `${siteNo}/${day.start}`
    if (!days.has(key)) days.set(key, { day: { ...day, siteNo, zone }, marks: [] })
    days.get(key)!.marks.push({ bucket, version })
  }
  // These days have no rollups, so the marks have no effect.
  await removeMarks(db, 'daily_rollups', idle)
  for (const { day, marks } of [...days.values()].toSorted((a, b) => b.day.start - a.day.start)) {
    if (!hasTime()) return false
    await rollUp({ ...day, marks })
  }
  return marks.length < MAX_MARKS
}

/** Maximum number of days that `rollUpOtherDimensions` reads at once. */
const MAX_OTHERS = 500

// Two comparisons, since an index finds no rows by `<>`. Days whose details are gone keep the dimensions they have.
const selectOtherDimensions = query<{ dimensionsHash: string; limit: number }, SiteDay>(
  'select-rollups-of-other-dimensions',
  `
  select
    site_no as "siteNo",
    rollup_spans.timezone as zone,
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end"
  from daily_rollups
  join rollup_spans using (site_no)
  join sites using (site_no)
  where (dimensions_hash < :dimensionsHash or dimensions_hash > :dimensionsHash) and deleted_at is null
    and (details_from is null or starts_at >= details_from)
  order by starts_at desc, site_no
  limit :limit::int`,
)

// A day without hits has no values of any dimension.
const keepEmptyRollup = query<
  { siteNo: number; start: Date; end: Date; dimensionsHash: string },
  { isKept: boolean }
>(
  'keep-empty-rollup',
  `
  update daily_rollups
  set dimensions_hash = :dimensionsHash
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz
    and pageviews + custom_events + sessions = 0
    and not exists (
      select from events where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    )
  returning true as "isKept"`,
)

/**
 * Builds rollups again that another version of the service made, which counted other dimensions; newest day first. Readers do not
 * use such rollups.
 * @returns true when there are none left
 */
export async function rollUpOtherDimensions(round: Round): Promise<boolean> {
  const { db, rollUp, hasTime } = round
  const days = await selectOtherDimensions(db, { dimensionsHash: DIMENSIONS_HASH, limit: MAX_OTHERS })
  for (const day of days) {
    if (!hasTime()) return false
    const key = { siteNo: day.siteNo, ...datesOf(day) }
    const [kept] = await keepEmptyRollup(db, { ...key, dimensionsHash: DIMENSIONS_HASH })
    if (!kept) await rollUp({ ...day, marks: [] })
  }
  return days.length < MAX_OTHERS
}

// Left out: empty rollups of days without hits.
const selectRollupsToRenew = query<{ siteNo: number; start: Date; end: Date }, Window>(
  'select-daily-rollups-to-renew',
  `
  select
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end"
  from daily_rollups
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and ends_at <= :end::timestamptz
    and (
      pageviews + custom_events + sessions > 0
      or exists (select from events where events.site_no = :siteNo::int and at >= starts_at and at < ends_at)
    )
  order by starts_at`,
)

/**
 * Builds the existing rollups of a site inside a window again, even when no mark says that they changed. The rules of
 * `rollUpSites` apply.
 */
export async function rollUpWindow(
  db: Db,
  rollUp: RollUpDay,
  { siteNo, ...window }: Window & { siteNo: number },
): Promise<void> {
  const [span] = await findSpans(db, { siteNos: [siteNo] })
  if (!span) return
  for (const day of await selectRollupsToRenew(db, { siteNo, ...datesOf(window) })) {
    await rollUp({ ...day, siteNo, zone: span.rolledUpZone, marks: [] })
  }
}
