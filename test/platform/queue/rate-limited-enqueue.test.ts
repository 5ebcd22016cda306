import { beforeEach, expect, test, vi } from 'vitest'
import { createRateLimiter, type RateLimit } from '../../../src/platform/limits/rate-limit.ts'
import { createProducer } from '../../../src/platform/queue/producer.ts'
import {
  createRateLimitedEnqueue,
  type RateLimitedEnqueue,
} from '../../../src/platform/queue/rate-limited-enqueue.ts'
import { useRedis } from '../../support/redis.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1, 12)

/** A request with or without a limit; its name goes to the queue. */
interface Request {
  limit: RateLimit | undefined
  name: string
}

const server = useRedis()
let at: number
beforeEach(async () => {
  await server.redis.flushall()
  at = START
})

const now = () => new Date(at)
const start = () =>
  createRateLimitedEnqueue<string[]>(createRateLimiter(server.redis, now), createProducer(server.redis), now)

const by = (key: string, limit: number, ...names: string[]): Request[] =>
  names.map(name => ({ limit: { key, limit }, name }))
const unlimited = (name: string): Request => ({ limit: undefined, name })

/** Enqueues requests; the job is the list of their names. */
async function enqueue(to: RateLimitedEnqueue<string[]>, requests: Request[]) {
  const results = await to.enqueue(
    requests.map(({ limit }) => limit),
    isIncluded => requests.filter((_, index) => isIncluded[index]).map(({ name }) => name),
  )
  return results.map(({ decision, failure }) => (failure ? 'failed' : (decision?.isAllowed ?? 'unlimited')))
}

/** Returns the names in all jobs in Redis. */
async function queued(): Promise<string[]> {
  const jobs = await server.redis.keys('bull:hits:*-*-*-*-*')
  const data = await Promise.all(jobs.map(key => server.redis.hget(key, 'data')))
  return data.flatMap(text => JSON.parse(text!)).sort()
}

/** Returns the number of Redis commands that `run` sends. */
async function commandsOf(run: () => Promise<unknown>): Promise<number> {
  const sent = vi.spyOn(server.redis, 'sendCommand')
  await run()
  const count = sent.mock.calls.length
  sent.mockRestore()
  return count
}

test('rate-limited enqueue: limits and jobs take one command, also when a sender has no quota until the next window', async () => {
  const to = start()
  await enqueue(to, by('a', 1, 'a1', 'a2'))
  const requests = [...by('a', 1, 'a3'), ...by('b', 9, 'b1', 'b2'), ...by('c', 1, 'c1'), unlimited('u')]
  const expected = [false, true, true, true, 'unlimited']
  expect(await commandsOf(async () => expect(await enqueue(to, requests)).toEqual(expected))).toBe(1)
  expect(await queued()).toEqual(['a1', 'b1', 'b2', 'c1', 'u'])
  at += MINUTE
  expect(await enqueue(to, by('a', 1, 'a4', 'a5'))).toEqual([true, false])
  expect(await queued()).toEqual(['a1', 'a4', 'b1', 'b2', 'c1', 'u'])
})

test('rate-limited enqueue: an allowed request is queued even after Redis has lost its counters', async () => {
  const to = start()
  await enqueue(to, by('a', 1, 'a1', 'a2'))
  await server.redis.del(`limit:${START / MINUTE}`)
  expect(await enqueue(to, [...by('a', 1, 'a3', 'a4'), ...by('b', 1, 'b1')])).toEqual([true, false, true])
  expect(await queued()).toEqual(['a1', 'a3', 'b1'])
})

test.each([
  ['within their limits', 9],
  ['if one exceeds its limit', 3],
  ['without limits', undefined],
])('rate-limited enqueue: when the queue fails, requests fail %s', async (_, limited) => {
  await server.redis.set('bull:hits:wait', 'not a list')
  const names = ['0', '1', '2', '3']
  const requests = limited === undefined ? names.map(unlimited) : by('a', limited, ...names)
  const last = limited === 3 ? false : 'failed'
  expect(await enqueue(start(), requests)).toEqual(['failed', 'failed', 'failed', last])
  expect(await queued()).toEqual([])
})

test('rate-limited enqueue: requests without a limit or without items are allowed', async () => {
  const results = await start().enqueue([undefined, { key: 'a', limit: 1 }], () => undefined)
  expect(results.map(({ decision }) => decision?.isAllowed)).toEqual([undefined, true])
  expect(results.map(({ failure }) => failure)).toEqual([undefined, undefined])
})
