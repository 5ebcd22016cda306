import { createHash } from 'node:crypto'
import { isFinal } from './cover.ts'
import type { DailyRollup } from './daily-rollups.ts'

/** One or more days of a site that are summed together. */
export type Run = readonly DailyRollup[]

/** Splits days into ranges: one range of all final days, whose cached sum stays valid, and one range for each open day. */
export function runsOf(rollups: readonly DailyRollup[]): Run[] {
  const settled = rollups.filter(isFinal)
  const open = rollups.filter(rollup => !isFinal(rollup)).map(rollup => [rollup])
  return settled.length > 0 ? [settled, ...open] : open
}

/**
 * Returns the cache key of a day range. Two keys are equal only for the same days with the same content, in any snapshot,
 * because a version is never used twice (see 0010_daily_rollups.sql).
 * @param part which data of the days is cached: a dimension, or the totals
 */
export function keyOf(run: Run, part: string): string {
  const { siteNo, start, end, version } = run[0]!
  if (run.length === 1) return `${siteNo}/${part}/${start}/${end}/${version}`
  let days = ''
  for (const day of run) days += `${day.start}/${day.end}/${day.version};`
  return `${siteNo}/${part}/${createHash('sha256').update(days).digest('base64')}`
}
