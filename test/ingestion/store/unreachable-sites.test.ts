import { expect, test } from 'vitest'
import type { HitBatch } from '../../../src/ingestion/hit.ts'
import { createHitConsumer } from '../../../src/ingestion/store/hit-consumer.ts'
import { waitOf } from '../../../src/ingestion/store/unreachable-sites.ts'
import { createConsumer } from '../../../src/platform/queue/consumer.ts'
import type { TestDatabase } from '../../support/database.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { rawHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { useQueue } from '../storing.ts'

const database = useDatabase()
const db = dbOf(database)
const queue = useQueue()

async function storedOf({ siteNo }: TestSite): Promise<number> {
  const [row] = await db`select count(*)::int as count from events where site_no = ${siteNo}`
  return row!.count
}

/** The real database, except that its first transaction cannot reach a server. */
function failingOnce(): TestDatabase['db'] {
  let hasFailed = false
  return new Proxy(db, {
    get(target, name, receiver) {
      if (name !== 'begin' || hasFailed) return Reflect.get(target, name, receiver)
      hasFailed = true
      return () => Promise.reject(Object.assign(new Error('connection refused'), { code: '08006' }))
    },
  })
}

test('store: hits of a site whose server does not answer wait in the queue, and others of the batch are stored', {
  tags: ['full'],
}, async () => {
  const near = await createTestSite(db)
  const far = await createTestSite(db)
  let lost = [far.siteNo]
  const hits = createHitConsumer({
    db: failingOnce(),
    queue: queue.producer,
    log: silentLog,
    findUnreachable: async () => lost,
  })
  const now = Date.now()
  const engagement = rawHit(far, now, { type: 'engagement', scroll: 50, engagedMs: 1000 })
  await hits.consume({
    parts: [
      { partition: 1, hits: [rawHit(near, now), rawHit(far, now)] },
      { partition: 2, hits: [rawHit(far, now), rawHit(near, now)] },
    ],
  })
  // Engagement whose pageview never comes is still dropped at its second attempt, and not at the one that was not made.
  await hits.consume({ isSecondTry: true, parts: [{ partition: 3, hits: [engagement] }] })
  expect(hits.counts).toMatchObject({ stored: 2, dropped: 0, dead: 0 })
  expect([await storedOf(near), await storedOf(far)]).toEqual([2, 0])

  lost = []
  const handle = hits.consume
  const consumer = createConsumer<HitBatch>({
    redisUrl: queue.url,
    concurrency: 1,
    log: silentLog,
    handle,
  })
  await expect.poll(() => hits.counts, { timeout: 30_000 }).toMatchObject({ stored: 4, dropped: 1 })
  await consumer.close()
  hits.stop()
  expect([await storedOf(near), await storedOf(far)]).toEqual([2, 2])
})

test('store: when every server answers, a batch that failed is stored again as a whole', async () => {
  const site = await createTestSite(db)
  const hits = createHitConsumer({
    db: failingOnce(),
    queue: queue.producer,
    log: silentLog,
    findUnreachable: async () => [],
  })
  await hits.consume({ parts: [{ partition: 1, hits: [rawHit(site, Date.now())] }] })
  expect(hits.counts).toMatchObject({ stored: 1, batches: 1 })
})

test.each([
  ['just now', 0, 2_000],
  ['ten seconds ago', 10_000, 5_000],
  ['an hour ago', 3_600_000, 60_000],
  ['in the future, by another clock', -5_000, 2_000],
])('store: a hit that came %s waits for a server that is down', (_age, age, wait) => {
  expect(waitOf(age)).toBe(wait)
})
