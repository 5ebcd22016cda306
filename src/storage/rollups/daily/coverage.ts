import { createHash } from 'node:crypto'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DIMENSIONS_HASH } from '../../../platform/dimensions/rolled-up.ts'
import { arraysOf, type Covered, type DailyRollup, type DayRange, datesOf, type Window } from '../protocol.ts'

// Left out: days with dirty buckets, and days that a process with other dimensions has rolled up. Days before the site's details_from have
// nothing else to be counted from, and are read whatever dimensions they have.
const selectDailyRollups = query<
  { siteNos: readonly number[]; start: Date; end: Date; dimensionsHash: string },
  DailyRollup
>(
  'select-daily-rollups',
  `
  select
    site_no as "siteNo",
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    version
  from daily_rollups
  left join (select site_no, details_from from sites where details_from is not null) as site using (site_no)
  where site_no = any(:siteNos::int[]) and starts_at >= :start::timestamptz and ends_at <= :end::timestamptz
    and (dimensions_hash = :dimensionsHash or ends_at <= details_from)
    and not exists (
      select from dirty_buckets
      where aggregate = 'daily_rollups' and dirty_buckets.site_no = daily_rollups.site_no
        and bucket >= greatest(starts_at, details_from) and bucket < ends_at
    )
  order by site_no, starts_at, ends_at`,
)

/** Returns the rollups of each site inside a window, in order: those that agree with the rows and count today's dimensions. */
export async function readDailyRollups(
  tx: Queryable,
  siteNos: readonly number[],
  window: Window,
): Promise<Map<number, DailyRollup[]>> {
  const bySite = new Map<number, DailyRollup[]>(siteNos.map(siteNo => [siteNo, []]))
  const rows = await selectDailyRollups(tx, { siteNos, ...datesOf(window), dimensionsHash: DIMENSIONS_HASH })
  for (const rollup of rows) bySite.get(rollup.siteNo)!.push(rollup)
  return bySite
}

/** How a window is read. The counts of all parts add up, except visitors. */
export interface Coverage {
  /** Rollups that lie in the window and do not overlap, in order. */
  rollups: DailyRollup[]
  /** Parts of the window without a rollup. */
  gaps: Window[]
}

/** Splits a window into rollups and the gaps between them. The rollups may be days of any time zone. */
export function coverageOf(window: Window, all: readonly DailyRollup[]): Coverage {
  const coverage: Coverage = { rollups: [], gaps: [] }
  let at = window.start
  for (const rollup of all) {
    if (rollup.start < at || rollup.end > window.end) continue
    if (rollup.start > at) coverage.gaps.push({ start: at, end: rollup.start })
    coverage.rollups.push(rollup)
    at = rollup.end
  }
  if (at < window.end) coverage.gaps.push({ start: at, end: window.end })
  return coverage
}

// No row for a site that does not exist.
const findDetailsFrom = query<{ siteNo: number }, { at: number | null }>(
  'find-details-of-site',
  `select (extract(epoch from details_from) * 1000)::bigint as at from sites where site_no = :siteNo::int`,
)

/** How windows of a site are read. */
export interface WindowsCoverage extends Covered {
  /** What rollups lack and has rows, merged: columns count it. */
  gaps: Window[]
}

/** Returns how windows of a site are read. */
export async function coverWindows(
  tx: Queryable,
  siteNo: number,
  windows: readonly Window[],
  { readsRollups = true }: { readsRollups?: boolean } = {},
): Promise<WindowsCoverage> {
  const span = {
    start: Math.min(...windows.map(({ start }) => start)),
    end: Math.max(...windows.map(({ end }) => end)),
  }
  const [stored, [details]] = await Promise.all([
    readsRollups ? readDailyRollups(tx, [siteNo], span) : undefined,
    findDetailsFrom(tx, { siteNo }),
  ])
  const coverages = windows.map(window => coverageOf(window, stored?.get(siteNo) ?? []))
  const all = mergeWindows(coverages.flatMap(({ gaps }) => gaps))
  const detailsFrom = details?.at ?? Number.NEGATIVE_INFINITY
  return {
    ranges: coverages.map(({ rollups }) => rollups),
    gaps: mergeWindows(all.map(({ start, end }) => ({ start: Math.max(start, detailsFrom), end }))),
    kept: mergeWindows(all.map(({ start, end }) => ({ start, end: Math.min(end, detailsFrom) }))),
  }
}

const countPresent = query<
  { siteNo: number; starts: Date[]; ends: Date[]; versions: string[] },
  { days: number }
>(
  'count-present-rollups',
  `
  select count(*)::int as days
  from unnest(:starts::timestamptz[], :ends::timestamptz[], :versions::uuid[]) as day (starts_at, ends_at, version)
  join daily_rollups using (starts_at, ends_at, version)
  where site_no = :siteNo::int`,
)

/**
 * Returns whether rollups are still those that were found. A day that was marked since counts as it was then. Call it in the snapshot that
 * reads the counts of the days.
 */
export async function isPresent(
  tx: Queryable,
  siteNo: number,
  { ranges }: Pick<Covered, 'ranges'>,
): Promise<boolean> {
  const days = ranges.flat()
  if (days.length === 0) return true
  const versions = days.map(({ version }) => version)
  const [present] = await countPresent(tx, { siteNo, ...arraysOf(days), versions })
  return present!.days === days.length
}

/** Sorts windows by start and merges those that overlap or touch; leaves out empty ones. */
export function mergeWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = []
  for (const { start, end } of windows.toSorted((a, b) => a.start - b.start)) {
    if (start >= end) continue
    const before = merged.at(-1)
    if (before && start <= before.end) before.end = Math.max(before.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/**
 * Returns the cache key of a day range. Two keys are equal only for the same days with the same content, in any snapshot,
 * because a version is never used twice (see 0010_daily_rollups.sql).
 * @param part which data of the days is cached: a dimension, or the totals
 */
export function keyOf(range: DayRange, part: string): string {
  const { siteNo, start, end, version } = range[0]!
  if (range.length === 1) return `${siteNo}/${part}/${start}/${end}/${version}`
  let days = ''
  for (const day of range) days += `${day.start}/${day.end}/${day.version};`
  return `${siteNo}/${part}/${createHash('sha256').update(days).digest('base64')}`
}
