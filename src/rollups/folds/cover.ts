import type { Window } from '../protocol.ts'
import { type Portion, portionSince } from './portion.ts'

const HOUR = 3_600_000
/** So long after a day's end no session that started in it gets another hit but a late one (contract §6), and then some. */
export const OPEN_MS = 26 * HOUR

/** A day's fold as far as it says what it holds. */
export interface FoldSpan extends Window {
  foldedTo: number
}

export interface Cover<Fold extends FoldSpan> {
  /** Folds that lie in the window and do not overlap, in order. */
  folds: Fold[]
  /** What the folds do not hold yet, of days that are folded. */
  rests: Portion[]
  /** What no fold lies in. */
  gaps: Window[]
}

/** Whether a fold holds all of its day that will ever come in time. */
export const isFinal = ({ end, foldedTo }: FoldSpan): boolean => foldedTo >= end + OPEN_MS

/** How a window is made up: of folds, whatever time zone's days they are, and of what lies between them. */
export function coverWindow<Fold extends FoldSpan>(window: Window, all: readonly Fold[]): Cover<Fold> {
  const cover: Cover<Fold> = { folds: [], rests: [], gaps: [] }
  let at = window.start
  let rest: FoldSpan | undefined
  const closeRest = () => {
    if (rest) cover.rests.push(portionSince(rest, rest.foldedTo))
    rest = undefined
  }
  for (const fold of all) {
    if (fold.start < at || fold.end > window.end) continue
    if (fold.start > at) {
      closeRest()
      cover.gaps.push({ start: at, end: fold.start })
    }
    cover.folds.push(fold)
    at = fold.end
    if (isFinal(fold)) closeRest()
    else if (rest && rest.foldedTo === fold.foldedTo) rest.end = fold.end
    else {
      closeRest()
      rest = { start: fold.start, end: fold.end, foldedTo: fold.foldedTo }
    }
  }
  closeRest()
  if (at < window.end) cover.gaps.push({ start: at, end: window.end })
  return cover
}
