import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DIMENSIONS_HASH } from '../../dimensions/rolled-up.ts'
import { localDay, startOfDay } from '../../time/local-time.ts'
import { MAX_MARKS, type Mark, readMarks, removeMarks } from '../dirty.ts'
import type { RolledUpDay, Window } from '../protocol.ts'
import { moveRollupWatermark } from '../watermarks.ts'
import { findSpans } from './roll-up-day.ts'

/** Runs `rollUpDay` in this thread or in another one. */
export type RollUpDay = (day: RolledUpDay) => Promise<unknown>

/** Dependencies and time limit of one round of rollup work. */
export interface Round {
  db: Db
  rollUp: RollUpDay
  /** Rollups hold only rows before this time, Unix milliseconds. */
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
): Promise<unknown> => rollUp({ ...day, rolledUpTo: watermark, isAnew: true, marks })

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

const findRollupsAt = query<{ siteNos: number[]; times: Date[] }, Window & { siteNo: number }>(
  'find-daily-rollups-at',
  `
  select distinct
    daily_rollups.site_no as "siteNo",
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end"
  from unnest(:siteNos::int[], :times::timestamptz[]) as given (site_no, at)
  join daily_rollups on daily_rollups.site_no = given.site_no and starts_at <= given.at and ends_at > given.at`,
)

/**
 * Builds the rollups of marked days again, newest day first.
 * @param until only days that end by then, Unix milliseconds; days without a rollup get one too
 * @returns true when it has handled all marks
 */
export async function rollUpMarked(round: Round, until?: number): Promise<boolean> {
  const { db, hasTime } = round
  const marks = await readMarks(db, 'daily_rollups', until === undefined ? {} : { end: until })
  if (marks.length === 0) return true
  const spans = await findSpans(db, { siteNos: [...new Set(marks.map(({ siteNo }) => siteNo))] })
  const spanOf = new Map(spans.map(span => [span.siteNo, span]))
  const days = new Map<string, { day: SiteDay; marks: RolledUpDay['marks'] }>()
  const note = (day: Window, zone: string, { siteNo, bucket, version }: Mark) => {
    if (until !== undefined && day.end > until) return
    const key = `${siteNo}/${day.start}/${day.end}`
    if (!days.has(key)) days.set(key, { day: { ...day, siteNo, zone }, marks: [] })
    days.get(key)!.marks.push({ bucket: bucket.getTime(), version })
  }
  const outside: Mark[] = []
  for (const mark of marks) {
    const span = spanOf.get(mark.siteNo)
    const at = mark.bucket.getTime()
    if (!span && until !== undefined) continue
    if (!span || (at < span.rolledUpFrom.getTime() && until === undefined)) outside.push(mark)
    else note(dayAround(span.rolledUpZone, at), span.rolledUpZone, mark)
  }
  // When a round was stopped before it moved the span, a day before the span can have a rollup, and readers use it.
  const rollups = await rollupsAt(db, outside)
  const idle: Mark[] = []
  for (const mark of outside) {
    const day = rollups.find(rollup => rollup.siteNo === mark.siteNo && holds(rollup, mark))
    const span = spanOf.get(mark.siteNo)
    if (day && span) note({ start: day.start, end: day.end }, span.rolledUpZone, mark)
    else idle.push(mark)
  }
  // These days have no rollup, so their marks have no effect.
  await removeMarks(db, 'daily_rollups', idle)
  for (const { day, marks } of [...days.values()].toSorted((a, b) => b.day.start - a.day.start)) {
    if (!hasTime()) return false
    await rollUpAnew(round, day, marks)
  }
  return marks.length < MAX_MARKS
}

async function rollupsAt(db: Db, marks: Mark[]): Promise<(Window & { siteNo: number })[]> {
  if (marks.length === 0) return []
  return findRollupsAt(db, {
    siteNos: marks.map(({ siteNo }) => siteNo),
    times: marks.map(({ bucket }) => bucket),
  })
}

const holds = ({ start, end }: Window, { bucket }: Mark): boolean =>
  start <= bucket.getTime() && bucket.getTime() < end

/** Maximum number of days that `rollUpOtherDimensions` reads at once. */
const MAX_OTHERS = 500

// Two comparisons, since an index finds no rows by `<>`.
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
  update daily_rollups set dimensions_hash = :dimensionsHash
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
    const { siteNo, start, end } = day
    const key = { siteNo, start: new Date(start), end: new Date(end) }
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
  { siteNo, start, end }: Window & { siteNo: number },
): Promise<void> {
  const { watermark } = await moveRollupWatermark(db, now)
  const [span] = await findSpans(db, { siteNos: [siteNo] })
  if (!span) return
  const bounds = { siteNo, start: new Date(start), end: new Date(end) }
  for (const day of await selectRollupsToRenew(db, bounds)) {
    await rollUpAnew({ rollUp, watermark }, { ...day, siteNo, zone: span.rolledUpZone })
  }
}
