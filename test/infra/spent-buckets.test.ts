import { beforeEach, expect, test } from 'vitest'
import { createSpentBuckets, type SpentBuckets } from '../../src/infra/spent-buckets.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1, 12)

let at: number
let spent: SpentBuckets
beforeEach(() => {
  at = START
  spent = createSpentBuckets(() => new Date(at))
})

const charge = (key: string, limit = 3) => ({ key, limit })
const rate = (remaining: number, endsAt = START + MINUTE) => ({
  isAllowed: true,
  limit: 3,
  remaining,
  resetAt: endsAt / 1000,
})

test('spent buckets: a bucket is spent after its last request, until the end of its window', () => {
  spent.note(charge('a'), rate(1))
  expect(spent.rateOf(charge('a'))).toBeUndefined()
  spent.note(charge('a'), rate(0))
  expect(spent.rateOf(charge('a'))).toEqual({
    isAllowed: false,
    limit: 3,
    remaining: 0,
    resetAt: (START + MINUTE) / 1000,
  })
  expect(spent.rateOf(charge('b'))).toBeUndefined()
})

test('spent buckets: all buckets are open again when the window ends', () => {
  spent.note(charge('a'), rate(0))
  at = START + MINUTE - 1
  expect(spent.has(charge('a'))).toBe(true)
  at += 1
  expect(spent.has(charge('a'))).toBe(false)
})

test('spent buckets: a late answer about an old window does not affect the next one', () => {
  spent.note(charge('a'), rate(0))
  at += MINUTE
  spent.note(charge('b'), rate(0, at + MINUTE))
  spent.note(charge('c'), rate(0))
  expect(['a', 'b', 'c'].map(key => spent.has(charge(key)))).toEqual([false, true, false])
})

test('spent buckets: a bucket that is spent under one limit is open under a higher one', () => {
  spent.note(charge('a', 3), rate(0))
  expect([2, 3, 4].map(limit => spent.has(charge('a', limit)))).toEqual([true, true, false])
})
