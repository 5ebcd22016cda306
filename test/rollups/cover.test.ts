import { describe, expect, test } from 'vitest'
import { type Cover, coverWindow, type FoldSpan, OPEN_MS } from '../../src/rollups/folds/cover.ts'
import { foldedPortion, type Portion, SILENCE_MS, wholePortion } from '../../src/rollups/folds/portion.ts'
import type { Window } from '../../src/rollups/protocol.ts'
import { type Random, randomFrom } from '../support/random-values.ts'

const QUARTER = 15 * 60_000
const DAY = 96 * QUARTER

const day = (number: number, foldedTo: number): FoldSpan => ({
  start: number * DAY,
  end: (number + 1) * DAY,
  foldedTo,
})

/** Portions of rows that a reader adds up, those of folds included. */
function partsOf({ folds, rests, gaps }: Cover<FoldSpan>): Portion[] {
  return [...folds.map(fold => foldedPortion(fold, fold.foldedTo)), ...rests, ...gaps.map(wholePortion)]
}

const holdsHit = ({ hitsFrom, hitsTo }: Portion, at: number) => hitsFrom <= at && at < hitsTo

const holdsSession = (
  { start, end, closedFrom, closedTo }: Portion,
  { startedAt, lastAt }: { startedAt: number; lastAt: number },
) =>
  start <= startedAt && startedAt < end && (closedFrom === null || lastAt >= closedFrom) && lastAt < closedTo

/** Every hit of a window, and every session that began in it, is in exactly one part; what is outside is in none. */
function expectEachOnce(window: Window, folds: FoldSpan[], random: Random): void {
  const parts = partsOf(coverWindow(window, folds))
  const edges = [window, ...folds].flatMap(({ start, end }) => [start, end])
  const closings = folds.flatMap(({ foldedTo }) => [foldedTo, foldedTo - SILENCE_MS])
  const times = [
    ...edges,
    ...closings,
    ...Array.from({ length: 40 }, () => window.start + random.int(12 * DAY)),
  ]
  for (const at of times.flatMap(time => [time - 1, time, time + 1])) {
    const isInside = window.start <= at && at < window.end
    expect({ at, parts: parts.filter(part => holdsHit(part, at)).length }).toEqual({
      at,
      parts: isInside ? 1 : 0,
    })
    const lengths = [0, random.int(DAY), DAY, ...closings.map(time => time - at)]
    for (const length of lengths.filter(length => length >= 0 && length <= DAY)) {
      const session = { startedAt: at, lastAt: at + length }
      expect({ session, parts: parts.filter(part => holdsSession(part, session)).length }).toEqual({
        session,
        parts: isInside ? 1 : 0,
      })
    }
  }
}

test('without folds all of a window is a gap', () => {
  const window = { start: 0, end: 3 * DAY }
  expect(coverWindow(window, [])).toEqual({ folds: [], rests: [], gaps: [window] })
})

test('days that are final leave nothing over', () => {
  const folds = [0, 1, 2].map(number => day(number, 3 * DAY + OPEN_MS))
  expect(coverWindow({ start: 0, end: 3 * DAY }, folds)).toEqual({ folds, rests: [], gaps: [] })
})

test('days that were folded up to the same moment leave one rest over', () => {
  const folds = [0, 1, 2].map(number => day(number, 2 * DAY + 5 * QUARTER))
  const { rests } = coverWindow({ start: 0, end: 4 * DAY }, folds)
  expect(rests).toEqual([
    expect.objectContaining({ start: 0, end: 3 * DAY, hitsFrom: 2 * DAY + 5 * QUARTER, hitsTo: 3 * DAY }),
  ])
})

describe('each hit and session is counted once', () => {
  test('whatever is folded of a window, and up to when', () => {
    const random = randomFrom(3)
    for (let round = 0; round < 150; round++) {
      const length = random.pick([DAY, DAY - 4 * QUARTER, DAY + 4 * QUARTER])
      const horizon = random.int(12 * 96) * QUARTER
      let start = random.int(96) * QUARTER
      const folds: FoldSpan[] = []
      for (let count = random.int(8); count > 0; count--) {
        const end = start + length
        // Marked or not folded yet.
        if (random.chance(0.75)) {
          const foldedTo = random.chance(0.7) ? horizon : random.int(12 * 96) * QUARTER
          folds.push({ start, end, foldedTo })
        }
        // Other days after a change of the time zone, which may overlap.
        start = random.chance(0.15) ? start + random.int(120) * QUARTER : end
      }
      folds.sort((a, b) => a.start - b.start)
      const from = random.int(5 * 96) * QUARTER
      expectEachOnce({ start: from, end: from + (1 + random.int(8 * 96)) * QUARTER }, folds, random)
    }
  })
})
