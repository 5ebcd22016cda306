import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createReplayConsumer } from '../../../src/ingestion/replays/replay-consumer.ts'
import { bytesOf, type ReplayJob } from '../../../src/ingestion/replays/replay-job.ts'
import { storeChunk } from '../../../src/ingestion/replays/store-chunk.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import {
  type BoundedQueue,
  createBoundedQueue,
  waitingBytes,
} from '../../../src/platform/queue/bounded-queue.ts'
import { queueDepth } from '../../../src/platform/queue/bull-format.ts'
import { createConsumer } from '../../../src/platform/queue/consumer.ts'
import { createProducer } from '../../../src/platform/queue/producer.ts'
import { useDatabase } from '../../support/database.ts'
import { dyingAfter } from '../../support/dying-after.ts'
import { enrichedHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { useRedis } from '../../support/redis.ts'
import { eventually } from '../../support/service.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { eventsAt, replayJob } from './chunks.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const NOON = Date.UTC(2026, 2, 10, 12)

const database = useDatabase()
const server = useRedis()
beforeEach(() => server.redis.flushall())

/** A site with a visitor, who is there at noon unless `isAway`. */
async function visited({ isAway = false } = {}) {
  const site = await createTestSite(database.db)
  const visitorId = randomUUID()
  if (!isAway) await visit(site, visitorId, NOON)
  return { site, visitorId }
}

const visit = (site: TestSite, visitorId: string, at: number) =>
  storeHits(database.db, 0, [enrichedHit(site, at, { visitorId, url: '/pricing' })])
const store = (job: ReplayJob) => storeChunk(database.db, job)
function consumerOf(queue: BoundedQueue<ReplayJob>, now: number, replayBytesPerSiteDay = 1_000_000) {
  const producer = createProducer<ReplayJob>(server.redis, 'replays')
  const parts = { db: database.db, queue, producer, config: { replayBytesPerSiteDay }, log: silentLog }
  return createReplayConsumer({ ...parts, now: () => new Date(now) }).consume
}
/** What the site has used of its allowance for the day of NOON. */
const usedOf = async ({ siteNo }: TestSite) =>
  Number((await server.redis.hget(`replay:site:${siteNo}:2026-03-10`, 'bytes')) ?? 0)
const rowsOf = ({ siteNo }: TestSite) => database.db`
  select session_at, visitor_no, first_event_ms::float8 as first, last_event_ms::float8 as last, recordings, chunks,
    bytes::float8 as bytes
  from session_replays where site_no = ${siteNo} order by session_at`
const chunksOf = ({ siteNo }: TestSite) => database.db`
  select recording, position from replay_chunks where site_no = ${siteNo} order by at, position`

test('replays: chunks belong to the session of the visitor, and the row of the session adds them up', async () => {
  const { site, visitorId } = await visited()
  await visit(site, randomUUID(), NOON)
  const first = replayJob(site, NOON + SECOND, { visitorId })
  const second = replayJob(site, NOON + MINUTE, { visitorId, recording: first.recording, position: 1 })
  const other = replayJob(site, NOON + 2 * MINUTE, { visitorId })
  for (const job of [second, first, other]) expect(await store(job)).toBe('stored')
  expect(await rowsOf(site)).toMatchObject([
    {
      ...{ session_at: new Date(NOON), first: NOON + SECOND, last: NOON + 2 * MINUTE + SECOND },
      ...{ recordings: 2, chunks: 3 },
      bytes: [first, second, other].reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0),
    },
  ])
})

test('replays: a chunk is stored once, however often it is sent or delivered', async () => {
  const { site, visitorId } = await visited()
  const job = replayJob(site, NOON + SECOND, { visitorId })
  const results = await Promise.all([store(job), store(job), store({ ...job, at: job.at + MINUTE })])
  expect(results.toSorted()).toEqual(['repeated', 'repeated', 'stored'])
  expect(await rowsOf(site)).toMatchObject([{ chunks: 1, recordings: 1 }])
  expect((await chunksOf(site)).length).toBe(1)
})

test('replays: a process that dies at any moment loses no chunk and its bytes, and stores none twice', async () => {
  const { db } = database
  const { site, visitorId } = await visited()
  const queue = createBoundedQueue<ReplayJob>(server.redis, 'replays', 100_000)
  const { jobId: _, ...chunk } = replayJob(site, NOON + SECOND, { visitorId })
  await queue.add(chunk, 50, [], NOON)
  const [jobId] = await server.redis.lrange('bull:replays:wait', 0, 0)
  const job = { ...chunk, jobId: jobId! }
  let calls = 0
  for (; calls < 20; calls++) {
    const outcome = await storeChunk(dyingAfter(db, calls), job).catch((error: Error) => error.message)
    if (outcome === 'stored') break
    expect([outcome, (await chunksOf(site)).length]).toEqual(['killed', 0])
  }
  expect(calls).toBeGreaterThan(3)
  expect(await waitingBytes(server.redis, 'replays')).toBeGreaterThan(0)
  // The process died before the bytes were given back: the queue delivers the job again.
  for (const _again of [1, 2]) {
    await consumerOf(queue, NOON)(job)
    expect(await waitingBytes(server.redis, 'replays')).toBe(0)
    expect(await usedOf(site)).toBe(0)
  }
  expect(await rowsOf(site)).toMatchObject([{ chunks: 1, recordings: 1 }])
})

test('replays: a chunk waits for the session of its page, and takes no older one', async () => {
  const { site, visitorId } = await visited({ isAway: true })
  const job = replayJob(site, NOON + SECOND, { visitorId, pageAt: NOON })
  expect(await store(job)).toBe('waiting')
  await visit(site, visitorId, NOON - 2 * HOUR)
  expect(await store(job)).toBe('waiting')
  await visit(site, visitorId, NOON)
  expect(await store(job)).toBe('stored')
  expect(await rowsOf(site)).toMatchObject([{ session_at: new Date(NOON) }])
})

test('replays: over midnight a chunk finds the session of the id of the day before', async () => {
  const { site, visitorId } = await visited()
  const job = replayJob(site, NOON + SECOND, { previousVisitorId: visitorId })
  expect(await store(job)).toBe('stored')
})

test('replays: a recording stays in its session', async () => {
  const { site, visitorId } = await visited()
  const job = replayJob(site, NOON + SECOND, { visitorId })
  await store(job)
  await visit(site, visitorId, NOON + HOUR)
  const late = { at: NOON + HOUR + SECOND, position: 1 }
  expect(await store({ ...job, ...late })).toBe('stored')
  expect(await rowsOf(site)).toMatchObject([{ session_at: new Date(NOON), chunks: 2 }])
})

test('replays: chunks beyond the bounds of a session, and those of deleted sites, are not stored', async () => {
  const { db } = database
  const { site, visitorId } = await visited()
  const { recording } = replayJob(site, NOON)
  const chunk = (position: number, at = NOON + SECOND) =>
    replayJob(site, at, { visitorId, recording, position })
  await store(chunk(0))
  expect(await store(chunk(1, NOON + 2 * HOUR + 2 * SECOND))).toBe('full')
  expect(await store(chunk(1, NOON + 2 * HOUR))).toBe('stored')
  await db`update session_replays set chunks = 5000 where site_no = ${site.siteNo}`
  expect(await store(chunk(2))).toBe('full')
  await db`update session_replays set chunks = 1, bytes = ${10 * 1024 * 1024 - 10} where site_no = ${site.siteNo}`
  expect(await store(chunk(2))).toBe('full')
  await db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  expect(await store(chunk(3))).toBe('dropped')
})

test('replays: the queue delivers chunks, again while they have no session, and gives their bytes back', async () => {
  const { site, visitorId } = await visited({ isAway: true })
  const queue = createBoundedQueue<ReplayJob>(server.redis, 'replays', 4_000)
  const handle = consumerOf(queue, NOON + MINUTE)
  const options = { queue: 'replays', redisUrl: server.url, concurrency: 2, log: silentLog } as const
  const consumer = createConsumer<ReplayJob>({ ...options, handle })
  const { jobId: _, ...early } = replayJob(site, NOON + SECOND, { visitorId })
  const { jobId: __, ...hopeless } = replayJob(site, NOON - HOUR)
  expect(await queue.add(early, 50, [], NOON)).toBe('added')
  const bytesOfOne = await waitingBytes(server.redis, 'replays')
  expect(await queue.add(hopeless, 50, [], NOON)).toBe('added')
  expect(await queue.add({ ...early, path: 'x'.repeat(2_000) }, 50, [], NOON)).toBe('queue_full')
  await eventually(async () => (await queueDepth(server.redis, 'replays')).delayed === 1)
  await eventually(async () => (await waitingBytes(server.redis, 'replays')) === bytesOfOne)
  expect(await usedOf(site)).toBe(0)
  await visit(site, visitorId, NOON)
  await eventually(async () => (await chunksOf(site)).length === 1)
  await eventually(async () => (await waitingBytes(server.redis, 'replays')) === 0)
  expect(await queueDepth(server.redis)).toMatchObject({ waiting: 0, delayed: 0, active: 0 })
  expect(await usedOf(site)).toBe(bytesOf(early))
  await consumer.close(0)
})

test('replays: a site stores what its day allows, however many chunks come at once and however many have no session', async () => {
  const { site, visitorId } = await visited()
  const queue = createBoundedQueue<ReplayJob>(server.redis, 'replays', 1_000_000)
  const jobs = Array.from({ length: 12 }, (_, index) => replayJob(site, NOON + index, { visitorId }))
  const most = jobs.slice(0, 5).reduce((sum, job) => sum + bytesOf(job), 0) + 100
  const consume = consumerOf(queue, NOON + MINUTE, most)
  const strangers = Array.from({ length: 20 }, (_, index) => replayJob(site, NOON + index))
  for (const stranger of strangers) await consume(stranger)
  expect(await usedOf(site)).toBe(0)
  await Promise.all(jobs.map(job => consume(job)))
  const stored = (await chunksOf(site)).length
  expect([stored, await usedOf(site)]).toEqual([5, most - 100])
  for (const job of jobs) await consume(job)
  expect([(await chunksOf(site)).length, await usedOf(site)]).toEqual([5, most - 100])
})

test('replays: the bytes of a site and of a visitor are bounded when chunks are queued, and when they are counted', async () => {
  const queue = createBoundedQueue<ReplayJob>(server.redis, 'replays', 10_000)
  const { jobId: _, ...job } = replayJob({ siteNo: 1 }, NOON, { content: eventsAt(NOON) })
  const visitor = { key: 'visitor', most: 1_000, mostMs: HOUR, keptMs: HOUR }
  const ofSite = { key: 'site', most: 1_500, keptMs: HOUR }
  const add = (bytes: number, at = NOON, who = visitor) => queue.add(job, bytes, [who, ofSite], at)
  expect(await add(900)).toBe('added')
  expect(await add(101)).toBe(0)
  expect(await add(50, NOON + HOUR)).toBe('added')
  expect(await add(1, NOON + HOUR + 1)).toBe(0)
  const other = { ...visitor, key: 'other' }
  expect(await add(600, NOON, other)).toBe(1)
  expect(await add(550, NOON, other)).toBe('added')
  const used = await Promise.all(['visitor', 'site', 'other'].map(key => server.redis.hget(key, 'bytes')))
  expect(used).toEqual(['950', '1500', '550'])
  expect((await queueDepth(server.redis, 'replays')).waiting).toBe(3)

  const later = { key: 'later', most: 1_000, keptMs: HOUR, isCountedLater: true }
  const addLater = (bytes: number) => queue.add(job, bytes, [later], NOON)
  expect([await addLater(1_000), await addLater(1_000), await addLater(1_001)]).toEqual(['added', 'added', 0])
  expect([await queue.count(later, 600), await queue.count(later, 401)]).toEqual([true, false])
  expect([await addLater(400), await addLater(401)]).toEqual(['added', 0])
  await queue.uncount(later, 600)
  expect(await queue.count(later, 1_000)).toBe(true)
  expect(await server.redis.pttl('later')).toBeGreaterThan(HOUR - MINUTE)
  await server.redis.del('later')
  await queue.uncount(later, 1_000)
  expect(await server.redis.exists('later')).toBe(0)
})
