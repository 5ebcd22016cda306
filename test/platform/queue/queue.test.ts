import { once } from 'node:events'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { queueDepth } from '../../../src/platform/queue/bull-format.ts'
import { type Consumer, createConsumer } from '../../../src/platform/queue/consumer.ts'
import { createProducer, type Producer } from '../../../src/platform/queue/producer.ts'
import type { RedisClient } from '../../../src/platform/redis/client.ts'
import { asAppError } from '../../../src/platform/runtime/failures.ts'
import { deferred } from '../../support/deferred.ts'
import { silentLog } from '../../support/log.ts'
import { connectTo, privateRedis, type TestRedis } from '../../support/redis.ts'
import { within } from '../../support/within.ts'
import { spawnEntry } from '../embedded/spawn.ts'

type Payload = { name: string }
/** The fields of a job in Redis. */
type Job = Record<'opts' | 'timestamp' | 'stacktrace', string>

let server: TestRedis
let redis: RedisClient
let redisPid: number
let producer: Producer<Payload>
let cleanUps: (() => unknown)[]

beforeEach(async () => {
  cleanUps = []
  server = await privateRedis()
  redis = await connectTo(server)
  redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))![1])
  producer = createProducer<Payload>(redis)
})
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
  redis.disconnect()
  await server.close()
})

/** Starts a consumer that is closed after the test, unless the test closes it. */
function consume(handle: (name: string) => Promise<void>, concurrency = 10): Consumer {
  const consumer = createConsumer<Payload>({
    redisUrl: server.url,
    concurrency,
    log: silentLog,
    handle: payload => handle(payload.name),
  })
  let closed: Promise<void> | undefined
  const close = (timeoutMs?: number) => (closed ??= consumer.close(timeoutMs))
  cleanUps.push(close)
  return { close }
}

const depth = async () => {
  const { waiting, active } = await queueDepth(redis)
  return { waiting, active }
}

/** Returns the names of all unfinished jobs in Redis. */
async function jobsInRedis(): Promise<string[]> {
  const connection = await connectTo(server)
  const jobs: string[] = []
  for (const key of await connection.keys('bull:hits*:*-*-*-*-*')) {
    // Other keys are locks and the marks of withdrawn jobs.
    if ((await connection.type(key)) === 'hash') jobs.push(key)
  }
  const data = await Promise.all(jobs.map(key => connection.hget(key, 'data')))
  connection.disconnect()
  return data.map(text => JSON.parse(text!).name)
}

test('queue: a job without delay has the same format in Redis as one added by Bull', async () => {
  const payload = { name: 'Zoë said "hi" \\ \u2028' }
  await producer.add(payload)
  await producer.add(payload, 60_000) // by Bull
  const keys = (await redis.keys('bull:hits:*-*-*-*-*')) as string[]
  const jobs = await Promise.all(keys.map(key => redis.hgetall(key)))
  const [own, bulls] = jobs.sort((a, b) => Number(a.delay) - Number(b.delay)) as [Job, Job]
  const { jobId, timestamp, ...options } = JSON.parse(own.opts)
  expect(keys).toContain(`bull:hits:${jobId}`)
  expect(String(timestamp)).toBe(own.timestamp)
  expect(Math.abs(Number(own.timestamp) - Date.now())).toBeLessThan(60_000)
  const bullsOptions = JSON.parse(bulls.opts)
  expect(options).toEqual({ ...bullsOptions, delay: 0, jobId: undefined, timestamp: undefined })
  const { opts, timestamp: _, stacktrace, ...fields } = own
  expect(fields).toEqual({ ...bulls, delay: '0', opts: undefined, timestamp: undefined })
  expect(stacktrace).toBe('[]')
  expect(await redis.lrange('bull:hits:wait', 0, -1)).toEqual([jobId])
})

test('queue: a command that runs twice adds its jobs once', async () => {
  const sent = vi.spyOn(redis, 'sendCommand')
  await producer.add({ name: 'once' })
  const [{ name, args }] = sent.mock.calls.at(-1)!
  expect(name).toMatch(/^eval/)
  await redis.call(name, ...(args as string[]))
  expect(await jobsInRedis()).toEqual(['once'])
  expect(await depth()).toEqual({ waiting: 1, active: 0 })
})

test('queue: a job is kept until its handler succeeds, and is then deleted', async () => {
  const kept: string[][] = []
  consume(async () => {
    kept.push(await jobsInRedis())
    if (kept.length < 3) throw new Error('not yet')
  })
  await producer.add({ name: 'stubborn' })
  await expect.poll(() => kept).toEqual([['stubborn'], ['stubborn'], ['stubborn']])
  await expect.poll(jobsInRedis).toEqual([])
  expect(await depth()).toEqual({ waiting: 0, active: 0 })
})

test('queue: the job of a killed consumer goes to another one after its lock has expired', {
  tags: ['full'],
}, async () => {
  const entry = relative(process.cwd(), fileURLToPath(new URL('./stuck-consumer.ts', import.meta.url)))
  const stuck = await spawnEntry(entry, [], { env: { REDIS_URL: server.url } })
  cleanUps.push(() => stuck.kill('SIGKILL'))
  await producer.add({ name: 'left behind' })
  expect(await once(stuck, 'message')).toContain('taken')
  const handled: string[] = []
  consume(async name => void handled.push(name))
  stuck.kill('SIGKILL')
  await once(stuck, 'exit')

  const [lock] = await redis.keys('bull:hits:*:lock')
  expect(await redis.pttl(lock!)).toBeLessThanOrEqual(15_000)
  expect(handled).toEqual([])
  await redis.pexpire(lock!, 1) // saves the wait for the rest of the 15 s
  await expect.poll(() => handled).toEqual(['left behind'])
  await expect.poll(depth).toEqual({ waiting: 0, active: 0 })
})

test('queue: a closing consumer finishes its running job and leaves the rest', async () => {
  const { promise: finished, resolve: finish } = deferred()
  const begun: string[] = []
  const consumer = consume(name => {
    begun.push(name)
    return finished
  }, 1)
  await producer.add({ name: 'first' })
  await producer.add({ name: 'second' })
  await expect.poll(() => begun).toEqual(['first'])
  let isClosed = false
  const closed = consumer.close().then(() => {
    isClosed = true
  })
  await expect.poll(async () => (await redis.client('LIST')) as string).not.toContain('cmd=brpoplpush')
  expect(isClosed).toBe(false)
  finish()
  await closed
  expect(begun).toEqual(['first'])
  await expect.poll(jobsInRedis).toEqual(['second'])
})

test('queue: while Redis hangs a job is refused within a second, and every accepted job is in Redis', async () => {
  const added: { name: string; result: Promise<void> }[] = []
  const add = () => {
    const name = `job ${added.length}`
    const result = producer.add({ name })
    added.push({ name, result })
    result.catch(() => {})
    return result
  }
  for (let round = 0; round < 50; round++) {
    add()
    if (round % 10 === 0) await add()
  }
  process.kill(redisPid, 'SIGSTOP')
  try {
    for (let round = 0; round < 50; round++) add()
    const error = await within(1_500, add()).catch(e => e)
    expect(asAppError(error).code).toBe('unavailable')
  } finally {
    process.kill(redisPid, 'SIGCONT')
  }
  const results = await Promise.allSettled(added.map(job => job.result))
  const promised = added.filter((_, index) => results[index]!.status === 'fulfilled').map(job => job.name)
  expect(promised.length).toBeGreaterThan(5)
  expect(promised.length).toBeLessThan(added.length)
  expect(await jobsInRedis()).toEqual(expect.arrayContaining(promised))

  await producer.add({ name: 'afterwards' })
  expect(await jobsInRedis()).toContain('afterwards')
})

test('queue: a refused job is not in Redis when Redis continues, however long it hung', {
  tags: ['full'],
}, async () => {
  await producer.add({ name: 'before' })
  process.kill(redisPid, 'SIGSTOP')
  const refused = Promise.allSettled([...'abcdefghij'].map(name => producer.add({ name })))
  try {
    expect((await refused).map(({ status }) => status)).not.toContain('fulfilled')
    // The connection is closed, and with it the commands that Redis has not read yet.
    await expect.poll(() => redis.status).not.toBe('ready')
  } finally {
    process.kill(redisPid, 'SIGCONT')
  }
  await expect.poll(() => redis.status).toBe('ready')
  await producer.add({ name: 'afterwards' })
  await expect.poll(async () => (await jobsInRedis()).sort()).toEqual(['afterwards', 'before'])
})

test('queue: a full Redis refuses a job, accepts it when there is room again, and a dead one refuses at once', async () => {
  await redis.config('SET', 'maxmemory', '1')
  const error = await producer.add({ name: 'too much' }).catch(e => e)
  expect(asAppError(error).code).toBe('unavailable')
  expect(await jobsInRedis()).toEqual([])
  await redis.config('SET', 'maxmemory', '0')
  await producer.add({ name: 'fits' })
  expect(await jobsInRedis()).toEqual(['fits'])
  process.kill(redisPid, 'SIGKILL')
  await expect.poll(() => redis.status).not.toBe('ready')
  const dead = await within(1_000, producer.add({ name: 'after' })).catch(e => e)
  expect(asAppError(dead).code).toBe('unavailable')
})

test('queue: its depth counts waiting and active jobs and gives the time of the oldest', async () => {
  const none = { waiting: 0, delayed: 0, active: 0, oldestAt: undefined, oldestOpenAt: undefined }
  expect(await queueDepth(redis)).toEqual(none)
  const before = Date.now()
  for (let job = 0; job < 3; job++) await producer.add({ name: 'waits' })
  const filled = await queueDepth(redis)
  expect(filled).toMatchObject({ waiting: 3, active: 0 })
  expect(filled.oldestAt).toBeGreaterThanOrEqual(before)
  expect(filled.oldestAt).toBeLessThanOrEqual(Date.now())
  const { promise: finished, resolve: finish } = deferred()
  consume(() => finished, 1)
  await expect.poll(depth).toEqual({ waiting: 2, active: 1 })
  // The first job is no longer waiting, and is still the oldest that is not done.
  expect((await queueDepth(redis)).oldestOpenAt).toBe(filled.oldestAt)
  finish()
  await expect.poll(() => queueDepth(redis)).toEqual(none)
})

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'queue: a consumer closes in time, whatever Redis does (%s)',
  { tags: ['full'] },
  async signal => {
    const taken: string[] = []
    const consumer = consume(async name => void taken.push(name))
    await producer.add({ name: 'a' })
    await expect.poll(() => taken).toEqual(['a'])
    process.kill(redisPid, signal)
    cleanUps.push(() => signal === 'SIGSTOP' && process.kill(redisPid, 'SIGCONT'))
    await within(2_500, consumer.close(500))
  },
)
