import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKnownTokens } from '../../../src/platform/limits/known-tokens.ts'
import type { RedisClient } from '../../../src/platform/redis/client.ts'
import { deferred } from '../../support/deferred.ts'
import { connectTo, type TestRedis, testRedis } from '../../support/redis.ts'

const TOKEN = Buffer.from('one')

let server: TestRedis
let connections: RedisClient[]
let at: number

beforeEach(async () => {
  server = await testRedis()
  connections = []
  at = 0
})
afterEach(async () => {
  for (const redis of connections) redis.disconnect()
  await server.close()
})

async function connect(): Promise<RedisClient> {
  const redis = await connectTo(server)
  connections.push(redis)
  return redis
}

/** What one process knows, and how often it has asked the database. */
async function knownTokens() {
  const subscriber = await connect()
  const known = createKnownTokens(await connect(), subscriber, () => at)
  // Commands of a connection are answered in order.
  await subscriber.subscribe('any')
  let asked = 0
  return {
    ...known,
    ask: () => known.find(TOKEN, async () => ({ asked: ++asked })),
  }
}

test('known tokens: a row counts for less than a second from the beginning of its look-up', async () => {
  const { ask, find } = await knownTokens()
  expect(await ask()).toEqual({ asked: 1 })
  at = 999
  expect(await ask()).toEqual({ asked: 1 })
  expect(await find(Buffer.from('another'), async () => 'other')).toBe('other')
  at = 1_000
  expect(await ask()).toEqual({ asked: 2 })
})

test('known tokens: parallel reads share a look-up, and none begins with one that is a second old', async () => {
  const { find } = await knownTokens()
  const [slow, next] = [deferred<string>(), deferred<string>()]
  const first = [find(TOKEN, () => slow.promise), find(TOKEN, () => Promise.reject(new Error('asked twice')))]
  at = 1_000
  const later = find(TOKEN, () => next.promise)
  next.resolve('new')
  slow.resolve('old')
  expect(await Promise.all([...first, later])).toEqual(['old', 'old', 'new'])
  expect(await find(TOKEN, async () => 'newest')).toBe('new')
})

test('known tokens: a change makes every process ask again, also while it asks', async () => {
  const [one, other] = [await knownTokens(), await knownTokens()]
  await Promise.all([one.ask(), other.ask()])
  await one.forget()
  expect(await one.ask()).toEqual({ asked: 2 })
  await expect.poll(() => other.ask()).toEqual({ asked: 2 })

  const running = deferred<string>()
  const token = Buffer.from('another')
  const before = one.find(token, () => running.promise)
  await one.forget()
  running.resolve('before the change')
  expect(await before).toBe('before the change')
  expect(await one.find(token, async () => 'after it')).toBe('after it')
})

test('known tokens: neither an unknown token nor a failure is kept', async () => {
  const { find, ask } = await knownTokens()
  expect(await find(TOKEN, async () => undefined)).toBeUndefined()
  await expect(find(TOKEN, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database')
  expect(await ask()).toEqual({ asked: 1 })
})

test('known tokens: without Redis a change ends what this process knows, and the second what others know', async () => {
  const [one, other] = [await knownTokens(), await knownTokens()]
  await Promise.all([one.ask(), other.ask()])
  for (const redis of connections) redis.disconnect()
  await one.forget()
  expect(await one.ask()).toEqual({ asked: 2 })
  at = 1_000
  expect(await other.ask()).toEqual({ asked: 2 })
})
