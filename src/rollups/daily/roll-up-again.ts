import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DIMENSIONS_HASH } from '../../dimensions/rolled-up.ts'
import { localDay, startOfDay } from '../../time/local-time.ts'
import { MAX_MARKS, type Mark, readMarks, removeMarks } from '../dirty.ts'
import { datesOf, type RolledUpDay, type Window } from '../protocol.ts'
import { moveRollupWatermark, OPEN_MS } from '../watermarks.ts'
import { findSpans } from './roll-up-day.ts'

/** Runs `rollUpDay` in this thread or in another one. */
export type RollUpDay = (day: RolledUpDay) => Promise<unknown>

/** Dependencies and time limit of one round of rollup work. */
export interface Round {
  db: Db
  rollUp: RollUpDay
  /** Days that end by this time are rolled up, Unix milliseconds: no session of them goes on. */
  watermark: number
  hasTime: () => boolean
}

/** Local day of a site; `zone` is the time zone of the site's rollups. */
interface SiteDay extends Window {
  siteNo: number
  zone: string
}

/** Builds the rollup of a day from raw rows. */
export const rollUpAnew = (
  { rollUp, watermark }: Pick<Round, 'rollUp' | 'watermark'>,
  day: SiteDay,
  marks: RolledUpDay['marks'] = [],
): Promise<unknown> => rollUp({ ...day, rolledUpTo: watermark + OPEN_MS, marks })

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
 * Builds the rollups of marked days, newest day first; days without a rollup get one too.
 * @param until only days that end by then, Unix milliseconds
 * @returns true when it has handled all marks
 */
export async function rollUpMarked(round: Round, until?: number): Promise<boolean> {
  const { db, hasTime } = round
  const marks = await readMarks(db, 'daily_rollups', until === undefined ? {} : { end: until })
  if (marks.length === 0) return true
  const spans = await findSpans(db, { siteNos: [...new Set(marks.map(({ siteNo }) => siteNo))] })
  const zoneOf = new Map(spans.map(({ siteNo, rolledUpZone }) => [siteNo, rolledUpZone]))
  const days = new Map<string, { day: SiteDay; marks: RolledUpDay['marks'] }>()
  const idle: Mark[] = []
  for (const mark of marks) {
    const { siteNo, version } = mark
    const bucket = mark.bucket.getTime()
    const zone = zoneOf.get(siteNo)
    if (zone === undefined) {
      idle.push(mark)
      continue
    }
    const day = dayAround(zone, bucket)
    if (until !== undefined && day.end > until) continue
    // Columns count it until it is over.
    if (day.end > round.watermark) {
      idle.push(mark)
      continue
    }
    const key = `${siteNo}/${day.start}`
    if (!days.has(key)) days.set(key, { day: { ...day, siteNo, zone }, marks: [] })
    days.get(key)!.marks.push({ bucket, version })
  }
  // These days have no rollups, so the marks have no effect.
  await removeMarks(db, 'daily_rollups', idle)
  for (const { day, marks } of [...days.values()].toSorted((a, b) => b.day.start - a.day.start)) {
    if (!hasTime()) return false
    await rollUpAnew(round, day, marks)
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
  const { db, hasTime } = round
  const days = await selectOtherDimensions(db, { dimensionsHash: DIMENSIONS_HASH, limit: MAX_OTHERS })
  for (const day of days) {
    if (!hasTime()) return false
    const key = { siteNo: day.siteNo, ...datesOf(day) }
    const [kept] = await keepEmptyRollup(db, { ...key, dimensionsHash: DIMENSIONS_HASH })
    if (!kept) await rollUpAnew(round, day)
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
  now: Date,
  rollUp: RollUpDay,
  { siteNo, ...window }: Window & { siteNo: number },
): Promise<void> {
  const { watermark } = await moveRollupWatermark(db, now)
  const [span] = await findSpans(db, { siteNos: [siteNo] })
  if (!span) return
  for (const day of await selectRollupsToRenew(db, { siteNo, ...datesOf(window) })) {
    await rollUpAnew({ rollUp, watermark }, { ...day, siteNo, zone: span.rolledUpZone })
  }
}
