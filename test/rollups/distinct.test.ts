import { expect, test } from 'vitest'
import { DistinctCounter } from '../../src/rollups/daily/distinct.ts'
import { randomFrom } from '../support/random-values.ts'

function count(counter: DistinctCounter, lists: number[][]): number {
  for (const list of lists) counter.add(Uint32Array.from(list))
  return counter.take()
}

test('distinct counter: no lists and empty lists count 0', () => {
  expect(count(new DistinctCounter(), [])).toBe(0)
  expect(count(new DistinctCounter(), [[], []])).toBe(0)
})

test('distinct counter: a number in several lists counts once, also in neighbouring words of the bit set', () => {
  expect(
    count(new DistinctCounter(), [
      [0, 31, 32, 63],
      [31, 63, 64],
      [0, 64, 33],
    ]),
  ).toBe(6)
})

test('distinct counter: a number far beyond the others does not lose the earlier ones', () => {
  const counter = new DistinctCounter()
  expect(
    count(counter, [
      [1, 2],
      [5_000_000, 2],
      [2 ** 26, 1],
    ]),
  ).toBe(4)
})

test('distinct counter: the memory of one large count is released', () => {
  const counter = new DistinctCounter()
  expect(count(counter, [[1, 2 ** 29]])).toBe(2)
  expect(counter.bytes).toBeLessThan(2 ** 20)
  expect(count(counter, [[1, 3], [3]])).toBe(2)
  // The memory for a few million visitors is kept.
  expect(count(counter, [[2 ** 24]])).toBe(1)
  expect(counter.bytes).toBeGreaterThan(2 ** 20)
  expect(count(counter, [[2 ** 24], [1]])).toBe(2)
})

test('distinct counter: each count starts from zero', () => {
  const random = randomFrom(7)
  const counter = new DistinctCounter()
  for (let round = 0; round < 50; round++) {
    const asked = Array.from({ length: random.int(6) }, () =>
      Array.from({ length: random.int(200) }, () => random.int(2 ** (4 + random.int(16)))),
    )
    expect(count(counter, asked)).toBe(new Set(asked.flat()).size)
  }
})
