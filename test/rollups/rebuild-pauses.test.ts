import { expect, test } from 'vitest'
import { RebuildPauses } from '../../src/rollups/live-tail/rebuild-pauses.ts'
import { TailLost, TailUnfit } from '../../src/rollups/live-tail/tail-shape.ts'

const MINUTE = 60_000
const SITE = 1

/** Returns how long a pause lasts, to the second. */
function lengthOf(pauses: RebuildPauses, now: number): number {
  let seconds = 0
  while (!pauses.isOver(SITE, now + 1_000 * seconds)) seconds++
  return seconds
}

test('pauses of live tails double with each tail that is lost soon, up to half an hour', () => {
  const pauses = new RebuildPauses(30_000)
  expect(lengthOf(pauses, 0)).toBe(0)
  const lengths = Array.from({ length: 8 }, () => {
    pauses.begin(SITE, 0, MINUTE, new TailLost('hits were deleted'))
    return lengthOf(pauses, 0)
  })
  expect(lengths).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800])
})

test('pauses of live tails begin anew after a tail that lived for ten minutes', () => {
  const pauses = new RebuildPauses(30_000)
  for (let count = 0; count < 3; count++) pauses.begin(SITE, 0, 0, new TailLost('hits were deleted'))
  pauses.begin(SITE, 0, 10 * MINUTE, new TailLost('hits were deleted'))
  expect(lengthOf(pauses, 0)).toBe(30)
})

test('pauses of live tails are long at once for a site that does not fit, and short for a quiet one', () => {
  const pauses = new RebuildPauses(30_000)
  pauses.begin(SITE, 0, 0, new TailUnfit('the last hits take too much memory'))
  expect(lengthOf(pauses, 0)).toBe(1_800)
  pauses.beginShort(SITE, 0)
  expect(lengthOf(pauses, 0)).toBe(30)
})
