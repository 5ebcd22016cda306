import type { Window } from '../protocol.ts'
import { type RowSlice, sliceSince } from './row-slice.ts'

const HOUR = 3_600_000
/** A day stays open this long after its end. Later, only a late hit can join a session of the day (contract §6); has a margin. */
export const OPEN_MS = 26 * HOUR

/** Day of a rollup, and the time up to which the rollup holds its rows. */
export interface RollupSpan extends Window {
  rolledUpTo: number
}

export interface Cover<Rollup extends RollupSpan> {
  /** Rollups that lie in the window and do not overlap, in order. */
  rollups: Rollup[]
  /** Tails: rows of rolled-up days that the rollups do not hold yet. */
  rests: RowSlice[]
  /** Parts of the window without a rollup. */
  gaps: Window[]
}

/** Returns true when a rollup holds all rows of its day, except hits that are still to come late. */
export const isFinal = ({ end, rolledUpTo }: RollupSpan): boolean => rolledUpTo >= end + OPEN_MS

/** Splits a window into rollups, their tails, and the gaps between them. The rollups may be days of any time zone. */
export function coverWindow<Rollup extends RollupSpan>(
  window: Window,
  all: readonly Rollup[],
): Cover<Rollup> {
  const cover: Cover<Rollup> = { rollups: [], rests: [], gaps: [] }
  let at = window.start
  let rest: RollupSpan | undefined
  const closeRest = () => {
    if (rest) cover.rests.push(sliceSince(rest, rest.rolledUpTo))
    rest = undefined
  }
  for (const rollup of all) {
    if (rollup.start < at || rollup.end > window.end) continue
    if (rollup.start > at) {
      closeRest()
      cover.gaps.push({ start: at, end: rollup.start })
    }
    cover.rollups.push(rollup)
    at = rollup.end
    if (isFinal(rollup)) closeRest()
    else if (rest && rest.rolledUpTo === rollup.rolledUpTo) rest.end = rollup.end
    else {
      closeRest()
      rest = { start: rollup.start, end: rollup.end, rolledUpTo: rollup.rolledUpTo }
    }
  }
  closeRest()
  if (at < window.end) cover.gaps.push({ start: at, end: window.end })
  return cover
}
