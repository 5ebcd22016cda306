import { expect, test } from 'vitest'
import { baseOf, isTooFew } from '../../src/web/format/numbers.ts'

test('change: a base of one to nine has no percentage; of none a number is new', () => {
  expect([undefined, 0, 1, 9, 10].map(isTooFew)).toEqual([false, false, true, true, false])
  expect(baseOf(30, 200)).toBe(10)
  expect(isTooFew(baseOf(5, 400))).toBe(true)
})
