import { expect, test } from 'vitest'
import { type Coverage, coverageOf, OPEN_MS, type RollupSpan } from '../../src/rollups/daily/coverage.ts'
import { type RowSlice, rolledUpSlice, SILENCE_MS, wholeSlice } from '../../src/rollups/daily/row-slice.ts'
import type { Window } from '../../src/rollups/protocol.ts'
import { type Random, randomFrom } from '../support/random-values.ts'

const QUARTER = 15 * 60_000
const DAY = 96 * QUARTER

const day = (number: number, rolledUpTo: number): RollupSpan => ({
  start: number * DAY,
  end: (number + 1) * DAY,
  rolledUpTo,
})

/** Row slices that a reader adds up, including those of rollups. */
function partsOf({ rollups, tails, gaps }: Coverage<RollupSpan>): RowSlice[] {
  const slices = rollups.map(rollup => rolledUpSlice(rollup, rollup.rolledUpTo))
  return [...slices, ...tails, ...gaps.map(wholeSlice)]
}

const holdsHit = ({ hitsFrom, hitsTo }: RowSlice, at: number) => hitsFrom <= at && at < hitsTo

const holdsSession = (
  { start, end, closedFrom, closedTo }: RowSlice,
  { startedAt, lastAt }: { startedAt: number; lastAt: number },
) =>
  start <= startedAt && startedAt < end && (closedFrom === null || lastAt >= closedFrom) && lastAt < closedTo

/** Checks that every hit and every session start inside the window is in exactly one row slice, and outside it in none. */
function expectEachOnce(window: Window, rollups: RollupSpan[], random: Random): void {
  const parts = partsOf(coverageOf(window, rollups))
  const edges = [window, ...rollups].flatMap(({ start, end }) => [start, end])
  const closings = rollups.flatMap(({ rolledUpTo }) => [rolledUpTo, rolledUpTo - SILENCE_MS])
  const anyTimes = Array.from({ length: 40 }, () => window.start + random.int(12 * DAY))
  for (const at of [...edges, ...closings, ...anyTimes].flatMap(time => [time - 1, time, time + 1])) {
    const expected = window.start <= at && at < window.end ? 1 : 0
    expect({ at, parts: parts.filter(part => holdsHit(part, at)).length }).toEqual({ at, parts: expected })
    const lengths = [0, random.int(DAY), DAY, ...closings.map(time => time - at)]
    for (const length of lengths.filter(length => length >= 0 && length <= DAY)) {
      const session = { startedAt: at, lastAt: at + length }
      const held = parts.filter(part => holdsSession(part, session)).length
      expect({ session, parts: held }).toEqual({ session, parts: expected })
    }
  }
}

test('coverage: no rollups leave one gap, final days nothing, and days with the same watermark one common tail', () => {
  const window = { start: 0, end: 3 * DAY }
  expect(coverageOf(window, [])).toEqual({ rollups: [], tails: [], gaps: [window] })
  const rollups = [0, 1, 2].map(number => day(number, 3 * DAY + OPEN_MS))
  expect(coverageOf(window, rollups)).toEqual({ rollups, tails: [], gaps: [] })
  const watermark = 2 * DAY + 5 * QUARTER
  const growing = [0, 1, 2].map(number => day(number, watermark))
  const tail = { start: 0, end: 3 * DAY, hitsFrom: watermark, hitsTo: 3 * DAY }
  expect(coverageOf({ start: 0, end: 4 * DAY }, growing).tails).toEqual([expect.objectContaining(tail)])
})

test('coverage counts each hit and session once for any mix of rollups, watermarks and windows', () => {
  const random = randomFrom(3)
  for (let round = 0; round < 150; round++) {
    const length = random.pick([DAY, DAY - 4 * QUARTER, DAY + 4 * QUARTER])
    const watermark = random.int(12 * 96) * QUARTER
    let start = random.int(96) * QUARTER
    const rollups: RollupSpan[] = []
    for (let count = random.int(8); count > 0; count--) {
      const end = start + length
      // The other days are dirty or not rolled up yet.
      if (random.chance(0.75)) {
        const rolledUpTo = random.chance(0.7) ? watermark : random.int(12 * 96) * QUARTER
        rollups.push({ start, end, rolledUpTo })
      }
      // After a time-zone change the days start at other times and may overlap.
      start = random.chance(0.15) ? start + random.int(120) * QUARTER : end
    }
    rollups.sort((a, b) => a.start - b.start)
    const from = random.int(5 * 96) * QUARTER
    expectEachOnce({ start: from, end: from + (1 + random.int(8 * 96)) * QUARTER }, rollups, random)
  }
})
