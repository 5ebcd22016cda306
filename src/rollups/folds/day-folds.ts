import { type Queryable, statement } from '../../infra/db.ts'
import type { Window } from '../protocol.ts'
import { type Cover, coverWindow, type FoldSpan } from './cover.ts'

/** A day's fold, but for what it holds. */
export interface DayFold extends FoldSpan {
  siteNo: number
  /** Another whenever what it holds changed, of whatever kind. */
  version: string
}

const selectDayFolds = statement<DayFold>('select-day-folds')

/** Folds of each site that lie in a window and hold what is stored, in order. */
export async function readDayFolds(
  tx: Queryable,
  siteNos: readonly number[],
  { start, end }: Window,
): Promise<Map<number, DayFold[]>> {
  const bySite = new Map<number, DayFold[]>(siteNos.map(siteNo => [siteNo, []]))
  const rows = await selectDayFolds(tx, siteNos, new Date(start), new Date(end))
  for (const fold of rows) bySite.get(fold.siteNo)!.push(fold)
  return bySite
}

/** Whose hits are not folded yet. */
export const unfoldedHits = (covers: readonly Cover<FoldSpan>[]): Window[] =>
  mergeWindows(
    covers.flatMap(({ gaps, rests }) => [
      ...gaps,
      ...rests.map(({ hitsFrom, hitsTo }) => ({ start: hitsFrom, end: hitsTo })),
    ]),
  )

export const coverAll = (windows: readonly Window[], folds: readonly DayFold[]): Cover<DayFold>[] =>
  windows.map(window => coverWindow(window, folds))

/** The same time, each moment once, in order. */
export function mergeWindows(windows: readonly Window[]): Window[] {
  const merged: Window[] = []
  for (const { start, end } of windows.toSorted((a, b) => a.start - b.start)) {
    const before = merged.at(-1)
    if (before && start <= before.end) before.end = Math.max(before.end, end)
    else if (start < end) merged.push({ start, end })
  }
  return merged
}
