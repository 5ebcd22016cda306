import fc from 'fast-check'
import { expect, test } from 'vitest'
import { percentChange, ratio } from '../../../src/platform/lib/numbers.ts'

test.each([
  [1, 2, 0, 1],
  [-1, 2, 0, -1],
  [3, 2, 0, 2],
  [5, 2, 0, 3],
  [-5, 2, 0, -3],
  [2, 3, 2, 0.67],
  [1, 3, 2, 0.33],
  [1005, 1000, 2, 1.01],
  [-1005, 1000, 2, -1.01],
  [8575, 1000, 2, 8.58],
  [100, 800, 2, 0.13],
  [100 * 1, 3, 2, 33.33],
  [1, 8, 1, 0.1],
  [1, 20, 1, 0.1],
  [7, -2, 0, -4],
])('a ratio of %i to %i with %i decimals is %d', (numerator, denominator, decimals, expected) => {
  expect(ratio(numerator, denominator, decimals)).toBe(expected)
})

test('a ratio to 0 is 0, and one that rounds to zero from below is not −0', () => {
  for (const numerator of [0, 1, -1, 12n]) expect(ratio(numerator, 0, 2)).toBe(0)
  expect(ratio(-1, 1000, 1)).toBe(0)
})

test('a ratio is exact where doubles are not, and accepts whole numbers only', () => {
  expect(ratio(9_007_199_254_740_993n * 3n, 3n, 0)).toBe(Number(9_007_199_254_740_993n))
  expect(ratio(10n ** 30n + 5n * 10n ** 27n, 10n ** 30n, 2)).toBe(1.01)
  expect(() => ratio(0.5, 1, 2)).toThrow(RangeError)
})

test('a ratio is within half a unit of the last place, and a tie rounds away from zero', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 0, max: 4 }),
      (numerator, denominator, decimals) => {
        const scale = 10 ** decimals
        const units = BigInt(Math.round(ratio(numerator, denominator, decimals) * scale))
        const error = units * BigInt(denominator) - BigInt(numerator) * BigInt(scale)
        const twice = 2n * (error < 0n ? -error : error)
        expect(twice <= BigInt(denominator)).toBe(true)
        if (twice === BigInt(denominator)) expect(error > 0n).toBe(numerator > 0)
      },
    ),
  )
})

test('a ratio has no more digits than requested, and the opposite sign for the opposite numerator', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1 }), (numerator, denominator) => {
      const value = ratio(numerator, denominator, 2)
      if (value < 1e13) expect(Number(value.toFixed(2))).toBe(value)
      expect(ratio(-numerator, denominator, 2) + value).toBe(0)
    }),
  )
})

test.each([
  ['from nothing to nothing', 0, 0, 0],
  ['from nothing to something', 7, 0, 100],
  ['to nothing', 0, 7, -100],
  ['of a third up', 4, 3, 33],
  ['of two thirds up', 5, 3, 67],
  ['of a third down', 2, 3, -33],
  ['of half a percent up', 201, 200, 1],
  ['of half a percent down', 199, 200, -1],
  ['of one and a half percent down', 197, 200, -2],
  ['tenfold', 1000, 100, 900],
  ['of none', 5, 5, 0],
])('a percent change: %s is in whole percent', (_, now, before, expected) => {
  expect(percentChange(now, before)).toBe(expected)
})
