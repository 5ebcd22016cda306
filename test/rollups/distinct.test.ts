import { expect, test } from 'vitest'
import { DistinctCounter } from '../../src/rollups/folds/distinct.ts'
import { randomFrom } from '../support/random-values.ts'

function count(counter: DistinctCounter, lists: number[][]): number {
  for (const list of lists) counter.add(Uint32Array.from(list))
  return counter.take()
}

test('nothing is nobody', () => {
  expect(count(new DistinctCounter(), [])).toBe(0)
  expect(count(new DistinctCounter(), [[], []])).toBe(0)
})

test('who is in several lists counts once, the bits of a word apart', () => {
  expect(
    count(new DistinctCounter(), [
      [0, 31, 32, 63],
      [31, 63, 64],
      [0, 64, 33],
    ]),
  ).toBe(6)
})

test('a number far beyond the others is counted with those that were before', () => {
  const counter = new DistinctCounter()
  expect(
    count(counter, [
      [1, 2],
      [5_000_000, 2],
      [2 ** 26, 1],
    ]),
  ).toBe(4)
})

test('what it grew to for one large count is given back', () => {
  const counter = new DistinctCounter()
  expect(count(counter, [[1, 2 ** 29]])).toBe(2)
  expect(counter.bytes).toBeLessThan(2 ** 20)
  expect(count(counter, [[1, 3], [3]])).toBe(2)
  // What a site of a few million visitors takes is kept.
  expect(count(counter, [[2 ** 24]])).toBe(1)
  expect(counter.bytes).toBeGreaterThan(2 ** 20)
  expect(count(counter, [[2 ** 24], [1]])).toBe(2)
})

test('nothing is left of what was counted before', () => {
  const random = randomFrom(7)
  const counter = new DistinctCounter()
  for (let round = 0; round < 50; round++) {
    const asked = Array.from({ length: random.int(6) }, () =>
      Array.from({ length: random.int(200) }, () => random.int(2 ** (4 + random.int(16)))),
    )
    expect(count(counter, asked)).toBe(new Set(asked.flat()).size)
  }
})
