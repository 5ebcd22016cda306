import { beforeEach, expect, test } from 'vitest'
import { createExhaustedLimits } from '../../src/limits/rate-limit.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1, 12)

let at: number
let exhausted: ReturnType<typeof createExhaustedLimits>
beforeEach(() => {
  at = START
  exhausted = createExhaustedLimits(() => new Date(at))
})

const limited = (key: string, limit = 3) => ({ key, limit })
const decision = (remaining: number, endsAt = START + MINUTE) => ({
  isAllowed: true,
  limit: 3,
  remaining,
  resetAt: endsAt / 1000,
})

test('exhausted limits: a limit is exhausted after its last request, until the end of its window', () => {
  exhausted.record(limited('a'), decision(1))
  expect(exhausted.refusalOf(limited('a'))).toBeUndefined()
  exhausted.record(limited('a'), decision(0))
  expect(exhausted.refusalOf(limited('a'))).toEqual({
    isAllowed: false,
    limit: 3,
    remaining: 0,
    resetAt: (START + MINUTE) / 1000,
  })
  expect(exhausted.refusalOf(limited('b'))).toBeUndefined()
})

test('exhausted limits: requests are allowed again when the window ends', () => {
  exhausted.record(limited('a'), decision(0))
  at = START + MINUTE - 1
  expect(exhausted.has(limited('a'))).toBe(true)
  at += 1
  expect(exhausted.has(limited('a'))).toBe(false)
})

test('exhausted limits: a late answer about an old window does not affect the next one', () => {
  exhausted.record(limited('a'), decision(0))
  at += MINUTE
  exhausted.record(limited('b'), decision(0, at + MINUTE))
  exhausted.record(limited('c'), decision(0))
  expect(['a', 'b', 'c'].map(key => exhausted.has(limited(key)))).toEqual([false, true, false])
})

test('exhausted limits: a counter that has reached one limit has room under a higher one', () => {
  exhausted.record(limited('a', 3), decision(0))
  expect([2, 3, 4].map(limit => exhausted.has(limited('a', limit)))).toEqual([true, true, false])
})
