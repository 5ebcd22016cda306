import { createHash } from 'node:crypto'
import { isFinal } from './cover.ts'
import type { DayFold } from './day-folds.ts'

/** Days of a site that are added up together, at least one. */
export type Run = readonly DayFold[]

/** Days as runs: those whose folds do not grow any more together, which stay the same all day, and each other by itself. */
export function runsOf(folds: readonly DayFold[]): Run[] {
  const settled = folds.filter(isFinal)
  const open = folds.filter(fold => !isFinal(fold)).map(fold => [fold])
  return settled.length > 0 ? [settled, ...open] : open
}

/**
 * What a run is known by: the same only for the same days with the same content, whenever and in whichever snapshot they
 * are read. Versions are never used again (see 0022_fold_versions.sql).
 * @param part what is read of the days
 */
export function keyOf(run: Run, part: string): string {
  const { siteNo, start, end, version } = run[0]!
  if (run.length === 1) return `${siteNo}/${part}/${start}/${end}/${version}`
  let days = ''
  for (const day of run) days += `${day.start}/${day.end}/${day.version};`
  return `${siteNo}/${part}/${createHash('sha256').update(days).digest('base64')}`
}
