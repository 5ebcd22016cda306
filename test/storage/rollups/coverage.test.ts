import { expect, test } from 'vitest'
import { coverageOf } from '../../../src/storage/rollups/daily/coverage.ts'
import type { DailyRollup, Window } from '../../../src/storage/rollups/protocol.ts'
import { randomFrom } from '../../support/random-values.ts'

const QUARTER = 15 * 60_000
const DAY = 96 * QUARTER

const rollup = (start: number, end: number): DailyRollup => ({ siteNo: 1, start, end, version: 'any' })

const holds = ({ start, end }: Window, at: number) => start <= at && at < end

test('coverage: no rollups leave one gap, and a rollup that lies partly outside the window is part of one', () => {
  const window = { start: QUARTER, end: 3 * DAY }
  expect(coverageOf(window, [])).toEqual({ rollups: [], gaps: [window] })
  const days = [0, 1, 2, 3].map(number => rollup(number * DAY, (number + 1) * DAY))
  expect(coverageOf(window, days)).toEqual({
    rollups: days.slice(1, 3),
    gaps: [{ start: QUARTER, end: DAY }],
  })
  expect(coverageOf({ start: DAY, end: DAY }, days)).toEqual({ rollups: [], gaps: [] })
})

test('coverage: each moment of a window is in one rollup or one gap, for any mix of rollups and windows', () => {
  const random = randomFrom(3)
  for (let round = 0; round < 150; round++) {
    const length = random.pick([DAY, DAY - 4 * QUARTER, DAY + 4 * QUARTER])
    let start = random.int(96) * QUARTER
    const rollups: DailyRollup[] = []
    for (let count = random.int(8); count > 0; count--) {
      const end = start + length
      // The other days are dirty or not rolled up yet.
      if (random.chance(0.75)) rollups.push(rollup(start, end))
      // After a time-zone change the days start at other times and may overlap.
      start = random.chance(0.15) ? start + random.int(120) * QUARTER : end
    }
    rollups.sort((a, b) => a.start - b.start)
    const from = random.int(5 * 96) * QUARTER
    const window = { start: from, end: from + (1 + random.int(8 * 96)) * QUARTER }
    const coverage = coverageOf(window, rollups)
    const parts = [...coverage.rollups, ...coverage.gaps]
    const edges = [window, ...rollups].flatMap(part => [part.start, part.end])
    const anyTimes = Array.from({ length: 40 }, () => window.start + random.int(12 * DAY))
    for (const at of [...edges, ...anyTimes].flatMap(time => [time - 1, time, time + 1])) {
      const held = parts.filter(part => holds(part, at)).length
      expect({ round, at, held }).toEqual({ round, at, held: holds(window, at) ? 1 : 0 })
    }
  }
})
