import { beforeEach, expect, test } from 'vitest'
import { createExhaustedLimits, createRateLimiter } from '../../../src/platform/limits/rate-limit.ts'
import { useRedis } from '../../support/redis.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1, 12)

const server = useRedis()
let at: number
beforeEach(async () => {
  await server.redis.flushall()
  at = START
})

const limiter = () => createRateLimiter(server.redis, () => new Date(at))

test('rate limit: exactly the limit is allowed in a window, across processes and parallel calls', async () => {
  const [one, another] = [limiter(), limiter()]
  const limit = { key: 'a', limit: 5 }
  const other = { key: 'b', limit: 1 }
  const batches = await Promise.all([
    one.count([limit, other, limit]),
    another.count([limit, limit]),
    one.count([limit, other, limit]),
  ])
  expect(batches.flat().map(decision => [decision.limit, decision.isAllowed, decision.remaining])).toEqual([
    [5, true, 4],
    [1, true, 0],
    [5, true, 3],
    [5, true, 2],
    [5, true, 1],
    [5, true, 0],
    [1, false, 0],
    [5, false, 0],
  ])
  expect(batches[0]![0]!.resetAt).toBe((START + MINUTE) / 1_000)
})

test('rate limit: a new window starts at zero, and old windows expire', async () => {
  const limit = { key: 'a', limit: 1 }
  for (let minute = 0; minute < 4; minute++) {
    const [first, second] = await limiter().count([limit, limit])
    expect([first!.isAllowed, second!.isAllowed]).toEqual([true, false])
    at += MINUTE
  }
  const windows = (await server.redis.keys('limit:*')).sort()
  expect(windows).toEqual([START / MINUTE + 2, START / MINUTE + 3].map(window => `limit:${window}`))
  for (const window of windows) {
    const ms = await server.redis.pttl(window)
    expect(ms).toBeGreaterThan(MINUTE)
    expect(ms).toBeLessThanOrEqual(3 * MINUTE)
  }
})

test('rate limit: a count is not in the log of Redis, whose disk its answer would wait for', async () => {
  const logBytes = async () =>
    Number(/^aof_current_size:(\d+)/m.exec(await server.redis.info('persistence'))![1])
  const before = await logBytes()
  const decisions = await Promise.all(Array.from({ length: 10 }, () => limiter().count([limited('a', 5)])))
  expect(decisions.flat().filter(({ isAllowed }) => isAllowed)).toHaveLength(5)
  expect(await logBytes()).toBe(before)
  at += 2 * MINUTE
  await limiter().count([limited('a')])
  expect(await server.redis.keys('limit:*')).toEqual([`limit:${at / MINUTE}`])
  expect(await logBytes()).toBeGreaterThan(before)
})

test('rate limit: a call may have more senders than one script can take', async () => {
  const limits = Array.from({ length: 9_000 }, (_, index) => ({ key: `sender ${index % 4_500}`, limit: 2 }))
  const decisions = await limiter().count(limits)
  const expected = limits.map((_, index) => (index < 4_500 ? 1 : 0))
  expect(decisions.map(decision => decision.remaining)).toEqual(expected)
  const [again] = await limiter().count([limits[0]!])
  expect(again!.isAllowed).toBe(false)
})

const exhaustedLimits = () => createExhaustedLimits(() => new Date(at))
const limited = (key: string, limit = 3) => ({ key, limit })
const decision = (remaining: number, endsAt = START + MINUTE) => ({
  isAllowed: true,
  limit: 3,
  remaining,
  resetAt: endsAt / 1000,
})

test('exhausted limits: a limit is exhausted after its last request, until the end of its window', () => {
  const exhausted = exhaustedLimits()
  exhausted.record(limited('a'), decision(1))
  expect(exhausted.refusalOf(limited('a'))).toBeUndefined()
  exhausted.record(limited('a'), decision(0))
  expect(exhausted.refusalOf(limited('a'))).toEqual({ ...decision(0), isAllowed: false })
  expect(exhausted.refusalOf(limited('b'))).toBeUndefined()
  at = START + MINUTE - 1
  expect(exhausted.has(limited('a'))).toBe(true)
  at += 1
  expect(exhausted.has(limited('a'))).toBe(false)
})

test('exhausted limits: a late answer about an old window does not affect the next one', () => {
  const exhausted = exhaustedLimits()
  exhausted.record(limited('a'), decision(0))
  at += MINUTE
  exhausted.record(limited('b'), decision(0, at + MINUTE))
  exhausted.record(limited('c'), decision(0))
  expect(['a', 'b', 'c'].map(key => exhausted.has(limited(key)))).toEqual([false, true, false])
})

test('exhausted limits: a counter that has reached one limit has room under a higher one', () => {
  const exhausted = exhaustedLimits()
  exhausted.record(limited('a', 3), decision(0))
  expect([2, 3, 4].map(limit => exhausted.has(limited('a', limit)))).toEqual([true, true, false])
})
