import { createHash } from 'node:crypto'
import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DIMENSIONS_HASH } from '../../dimensions/rolled-up.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { datesOf, type Window } from '../protocol.ts'
import { type RowSlice, sliceSince } from './row-slice.ts'

/** A day stays open this long after its end. Later, only a late hit can join a session of the day (contract §6); has a margin. */
export const OPEN_MS = 26 * HOUR_MS

/** Day of a rollup, and the time up to which the rollup holds its rows. */
export interface RollupSpan extends Window {
  rolledUpTo: number
}

/** Span and version of a daily rollup, without its counts. */
export interface DailyRollup extends RollupSpan {
  siteNo: number
  /** Changes with every change of the rollup: totals, visitors or counts by value. */
  version: string
}

// Left out: days with dirty buckets, and days that a process with other dimensions has rolled up. Days before the site's
// details_from have nothing else to be counted from, and are read whatever dimensions they have.
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
    (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
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
export interface Coverage<Rollup extends RollupSpan = DailyRollup> {
  /** Rollups that lie in the window and do not overlap, in order. */
  rollups: Rollup[]
  /** Rows of rolled-up days that the rollups do not hold yet. */
  tails: RowSlice[]
  /** Parts of the window without a rollup. */
  gaps: Window[]
}

/** Returns true when a rollup holds all rows of its day, except hits that are still to come late. */
export const isFinal = ({ end, rolledUpTo }: RollupSpan): boolean => rolledUpTo >= end + OPEN_MS

/** Splits a window into rollups, their tails, and the gaps between them. The rollups may be days of any time zone. */
export function coverageOf<Rollup extends RollupSpan>(
  window: Window,
  all: readonly Rollup[],
): Coverage<Rollup> {
  const coverage: Coverage<Rollup> = { rollups: [], tails: [], gaps: [] }
  let at = window.start
  let tail: RollupSpan | undefined
  const closeTail = () => {
    if (tail) coverage.tails.push(sliceSince(tail, tail.rolledUpTo))
    tail = undefined
  }
  for (const rollup of all) {
    if (rollup.start < at || rollup.end > window.end) continue
    if (rollup.start > at) {
      closeTail()
      coverage.gaps.push({ start: at, end: rollup.start })
    }
    coverage.rollups.push(rollup)
    at = rollup.end
    if (isFinal(rollup)) closeTail()
    else if (tail && tail.rolledUpTo === rollup.rolledUpTo) tail.end = rollup.end
    else {
      closeTail()
      tail = { start: rollup.start, end: rollup.end, rolledUpTo: rollup.rolledUpTo }
    }
  }
  closeTail()
  if (at < window.end) coverage.gaps.push({ start: at, end: window.end })
  return coverage
}

/** Returns the windows whose hits are not rolled up yet: gaps and tails, merged. */
export const hitsNotRolledUp = (coverages: readonly Coverage[]): Window[] =>
  mergeWindows(
    coverages.flatMap(({ gaps, tails }) => [
      ...gaps,
      ...tails.map(({ hitsFrom, hitsTo }) => ({ start: hitsFrom, end: hitsTo })),
    ]),
  )

/** Sorts windows by start and merges those that overlap or touch. */
export function mergeWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = []
  for (const { start, end } of windows.toSorted((a, b) => a.start - b.start)) {
    const before = merged.at(-1)
    if (before && start <= before.end) before.end = Math.max(before.end, end)
    else if (start < end) merged.push({ start, end })
  }
  return merged
}

/** One or more days of a site that are summed together. */
export type DayRange = readonly DailyRollup[]

/** Splits days into ranges: one range of all final days, whose cached sum stays valid, and one range for each open day. */
export function dayRangesOf(rollups: readonly DailyRollup[]): DayRange[] {
  const final = rollups.filter(isFinal)
  const open = rollups.filter(rollup => !isFinal(rollup)).map(rollup => [rollup])
  return final.length > 0 ? [final, ...open] : open
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
