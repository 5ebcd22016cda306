import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { type Cover, coverWindow, type RollupSpan } from './cover.ts'

/** Span and version of a daily rollup, without its counts. */
export interface DailyRollup extends RollupSpan {
  siteNo: number
  /** Changes with every change of the rollup: totals, visitors or counts by value. */
  version: string
}

const selectDailyRollups = statement<DailyRollup>('select-daily-rollups')

/** Returns the rollups of each site inside a window, in order. Rollups of days that are marked dirty are left out. */
export async function readDailyRollups(
  tx: Queryable,
  siteNos: readonly number[],
  { start, end }: Window,
): Promise<Map<number, DailyRollup[]>> {
  const bySite = new Map<number, DailyRollup[]>(siteNos.map(siteNo => [siteNo, []]))
  const rows = await selectDailyRollups(tx, siteNos, new Date(start), new Date(end))
  for (const rollup of rows) bySite.get(rollup.siteNo)!.push(rollup)
  return bySite
}

/** Returns the windows whose hits are not rolled up yet: gaps and tails, merged. */
export const hitsNotRolledUp = (covers: readonly Cover<RollupSpan>[]): Window[] =>
  mergeWindows(
    covers.flatMap(({ gaps, rests }) => [
      ...gaps,
      ...rests.map(({ hitsFrom, hitsTo }) => ({ start: hitsFrom, end: hitsTo })),
    ]),
  )

export const coverAll = (windows: readonly Window[], rollups: readonly DailyRollup[]): Cover<DailyRollup>[] =>
  windows.map(window => coverWindow(window, rollups))

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
