import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Hit, HitBatch } from '../../../src/ingestion/hit.ts'
import { createHitConsumer } from '../../../src/ingestion/store/hit-consumer.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { keyPrefix } from '../../../src/platform/queue/bull-format.ts'
import { createConsumer } from '../../../src/platform/queue/consumer.ts'
import { lanesOf } from '../../../src/platform/redis/lanes.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit, rawHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { sweep } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { expectNumberedVisits, sessionsOf as storedSessions, useQueue } from '../storing.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
const NOON = Date.UTC(2026, 2, 10, 12)
const MIDNIGHT = Date.UTC(2026, 2, 11)

const database = useDatabase(testDatabase)
const queue = useQueue()
const consumerOf = (db = database.db) => createHitConsumer({ db, queue: queue.producer, log: silentLog })
const sessionsOf = (site: TestSite) => storedSessions(database.db, site)

test('store: a session past midnight continues under the visitor of the day before', async () => {
  const site = await createTestSite(database.db)
  const [yesterday, today] = [randomUUID(), randomUUID()]
  await storeHits(database.db, 0, [enrichedHit(site, MIDNIGHT - MINUTE, { visitorId: yesterday })])
  const later = { visitorId: today, previousVisitorId: yesterday }
  await storeHits(database.db, 0, [enrichedHit(site, MIDNIGHT + MINUTE, later)])
  await storeHits(database.db, 0, [enrichedHit(site, MIDNIGHT + 20 * MINUTE, later)])
  expect(await sessionsOf(site)).toMatchObject([{ visitor: yesterday, pageviews: 3 }])
  await storeHits(database.db, 0, [enrichedHit(site, MIDNIGHT + 51 * MINUTE, later)])
  const after = await sessionsOf(site)
  expect(after.map(session => session.visitor).sort()).toEqual([yesterday, today].sort())
})

test('store: a session past midnight within one batch is one session', async () => {
  const site = await createTestSite(database.db)
  const [yesterday, today] = [randomUUID(), randomUUID()]
  await storeHits(database.db, 0, [
    enrichedHit(site, MIDNIGHT + MINUTE, { visitorId: today, previousVisitorId: yesterday }),
    enrichedHit(site, MIDNIGHT - MINUTE, { visitorId: yesterday }),
  ])
  expect(await sessionsOf(site)).toMatchObject([{ visitor: yesterday, pageviews: 2 }])
})

test('store: an identity from before midnight names the session after it', async () => {
  const site = await createTestSite(database.db)
  const [yesterday, today] = [randomUUID(), randomUUID()]
  const identify = { type: 'identify', visitorId: yesterday, identity: { identifier: 'ada' } } as const
  await storeHits(database.db, 0, [enrichedHit(site, MIDNIGHT - MINUTE, identify)])
  await storeHits(database.db, 0, [
    enrichedHit(site, MIDNIGHT + MINUTE, { visitorId: today, previousVisitorId: yesterday }),
  ])
  expect(await sessionsOf(site)).toMatchObject([{ visitor: today, userId: 'ada' }])
})

test('store: two consumers that store shuffled hits leave no overlapping sessions of a visitor', {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(database.db)
  const other = connectDb(database.url, { max: 2, name: 'second consumer' })
  const visitors = Array.from({ length: 5 }, () => randomUUID())
  // A fixed sequence of small jumps, in an order that is unrelated to time.
  const hits = Array.from({ length: 400 }, (_, index) =>
    enrichedHit(site, NOON + ((index * 7919) % 400) * 4.5 * MINUTE, { visitorId: visitors[index % 5]! }),
  )
  const batches = Array.from({ length: 40 }, (_, index) => hits.slice(index * 10, index * 10 + 10))
  await Promise.all(
    [database.db, other].map(async (db, consumer) => {
      for (const [index, batch] of batches.entries()) {
        // Every fourth batch is delivered to both consumers, as after a lost acknowledgement.
        if (index % 2 === consumer || index % 4 === 0) await storeHits(db, 0, batch)
      }
    }),
  )
  await other.end()
  const sessions = await sessionsOf(site)
  expect(sessions.reduce((sum, session) => sum + session.pageviews, 0)).toBe(400)
  expectNumberedVisits(sessions)
})

test('store: hits of a deleted site are not stored', async () => {
  const site = await createTestSite(database.db)
  await database.db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  expect(await storeHits(database.db, 0, [enrichedHit(site, NOON)])).toMatchObject({ stored: 0 })
  expect(await sessionsOf(site)).toEqual([])
})

test('store: visitor numbers are used only for new visitors', async () => {
  const site = await createTestSite(database.db)
  const visitorId = randomUUID()
  const numberOf = async (id: string) => {
    const [row] = await database.db<{ no: number }[]>`select visitor_no as no from visitors where id = ${id}`
    return row!.no
  }
  await storeHits(database.db, 0, [enrichedHit(site, NOON, { visitorId })])
  for (let minute = 1; minute < 20; minute++) {
    await storeHits(database.db, 0, [enrichedHit(site, NOON + minute * MINUTE, { visitorId })])
  }
  const next = randomUUID()
  await storeHits(database.db, 0, [enrichedHit(site, NOON, { visitorId: next })])
  expect(await numberOf(next)).toBe((await numberOf(visitorId)) + 1)
})

test('store: a hit that cannot be stored becomes a dead letter with its reason; its batch is stored', async () => {
  const site = await createTestSite(database.db)
  const hitConsumer = consumerOf()
  const good = Array.from({ length: 9 }, (_, index) => rawHit(site, NOON + index * 1000))
  const bad = [
    rawHit(site, NOON, { visitorId: 'no uuid' }),
    rawHit(site, NOON, { title: 'NUL \0 inside' }),
    rawHit(site, Number.MAX_SAFE_INTEGER),
    { id: randomUUID(), nothing: 'else' } as unknown as Hit,
  ]
  await hitConsumer.consume({
    parts: [{ partition: 1, hits: [...good.slice(0, 4), ...bad, ...good.slice(4)] }],
  })
  expect(hitConsumer.counts).toMatchObject({ stored: 9, dead: 4 })
  const [stored] = await database.db`select count(*)::int as count from events where site_no = ${site.siteNo}`
  expect(stored!.count).toBe(9)
  const letters = await database.db<{ id: string; reason: string; payload: string }[]>`
    select id, reason, payload from dead_letters where id in ${database.db(bad.map(hit => hit.id))}`
  expect(letters).toHaveLength(4)
  for (const letter of letters) expect(letter.reason).not.toBe('')
  await hitConsumer.consume({ parts: [{ partition: 1, hits: bad }] })
  const [again] = await database.db`
    select count(*)::int as count from dead_letters where id in ${database.db(bad.map(hit => hit.id))}`
  expect(again!.count).toBe(4)
})

test('store: a job that is not a batch of hits becomes a dead letter', async () => {
  const hitConsumer = consumerOf()
  await hitConsumer.consume('nonsense' as never)
  await hitConsumer.consume(null as never)
  await hitConsumer.consume({ parts: [{ partition: 0 }] } as never)
  await hitConsumer.consume({ parts: [null] } as never)
  expect(hitConsumer.counts.dead).toBe(4)
})

test('store: a job of several partitions is done when all its hits are stored', async () => {
  const site = await createTestSite(database.db)
  const hitConsumer = consumerOf()
  const hits = () => Array.from({ length: 5 }, (_, index) => rawHit(site, NOON + index))
  await hitConsumer.consume({ parts: [0, 1, 2, 3].map(partition => ({ partition, hits: hits() })) })
  expect(hitConsumer.counts).toMatchObject({ stored: 20, dead: 0, batches: 1 })
  expect(hitConsumer.waiting()).toBe(0)
})

test('store: jobs that arrive during a transaction are stored together', async () => {
  const site = await createTestSite(database.db)
  const hitConsumer = consumerOf()
  const jobs = Array.from({ length: 50 }, (_, index) => [rawHit(site, NOON + index)])
  await Promise.all(jobs.map(hits => hitConsumer.consume({ parts: [{ partition: 2, hits }] })))
  expect(hitConsumer.counts.stored).toBe(50)
  expect(hitConsumer.counts.batches).toBeLessThan(5)
})

test('store: a late hit among more sessions of the columnstore than may be decompressed is stored and counted', async () => {
  const site = await createTestSite(database.db)
  // The server's default is 100,000 rows.
  const limited = connectDb(database.url, {
    max: 1,
    name: 'test',
    settings: { 'timescaledb.max_tuples_decompressed_per_dml_transaction': '1000' },
  })
  const week = Date.UTC(2026, 0, 12)
  const visitorId = randomUUID()
  await storeHits(database.db, 0, [enrichedHit(site, week + DAY, { visitorId })])
  await database.db`
    insert into sessions (
      site_no, started_at, session_no, visitor_no, first_at, last_at, duration_ms, pageviews, events, visit_count,
      user_id, hostname, entry_path, referrer, source, channel, utm_source, utm_medium, utm_campaign, utm_content,
      utm_term, browser, browser_version, os, os_version, size, country, region, city, language
    )
    select
      ${site.siteNo}, at, nextval('session_numbers'), 1000000 + i, at, at, 0, 1, 0, 1,
      '', '', '/', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', ''
    from generate_series(1, 3000) as i,
      lateral (select to_timestamp(${week / 1000}) + i * interval '40 seconds') as started (at)`
  await compressSettledChunks(database.db, new Date(week + 30 * DAY))
  await storeHits(limited, 0, [enrichedHit(site, week + DAY - 45 * MINUTE, { visitorId })])
  await storeHits(limited, 0, [enrichedHit(site, week + DAY + 10 * MINUTE, { visitorId })])
  await limited.end()
  const mine = (await sessionsOf(site)).filter(session => session.visitor === visitorId)
  expect(mine).toMatchObject([
    { pageviews: 1, visitCount: 1 },
    { pageviews: 2, visitCount: 2 },
  ])
})

test.each(
  sweep([
    ['57014', 'the statement took too long'],
    ['42P01', 'a table is missing'],
    ['XX000', 'something inside the server broke'],
    ['53100', 'the disk is full'],
  ]),
)('store: error %s (%s) is not caused by the hits and is retried', async code => {
  const site = await createTestSite(database.db)
  let failures = 0
  // The real database, except that its first two transactions fail.
  const flaky = new Proxy(database.db, {
    get(target, name, receiver) {
      if (name !== 'begin' || failures >= 2) return Reflect.get(target, name, receiver)
      failures += 1
      return () => Promise.reject(Object.assign(new Error('refused'), { code }))
    },
  })
  const hitConsumer = consumerOf(flaky)
  await hitConsumer.consume({ parts: [{ partition: 3, hits: [rawHit(site, NOON)] }] })
  expect(hitConsumer.counts).toMatchObject({ stored: 1, dead: 0 })
})

test('store: engagement without its pageview waits once in the queue and is then dropped', async () => {
  const site = await createTestSite(database.db)
  const hitConsumer = consumerOf()
  const visitorId = randomUUID()
  const engagement = { type: 'engagement', visitorId, scroll: 50, engagedMs: 1000 } as const
  const early = rawHit(site, NOON + 1000, engagement)
  const orphanEngagement = rawHit(site, NOON + 1000, { ...engagement, url: '/other' })
  await hitConsumer.consume({ parts: [{ partition: 0, hits: [early, orphanEngagement] }] })
  await hitConsumer.consume({ parts: [{ partition: 0, hits: [rawHit(site, NOON, { visitorId })] }] })
  expect(hitConsumer.counts).toMatchObject({ stored: 1, dropped: 0 })

  const consumer = createConsumer<HitBatch>({
    redisUrl: queue.url,
    concurrency: 1,
    log: silentLog,
    handle: hitConsumer.consume,
  })
  await expect.poll(() => hitConsumer.counts).toMatchObject({ stored: 2, dropped: 1 })
  await consumer.close()
})

test('store: a batch is not done while Redis refuses the engagement that must wait; delivered again, it is', async () => {
  const site = await createTestSite(database.db)
  const hitConsumer = consumerOf()
  const engagement = rawHit(site, NOON, { type: 'engagement', scroll: 50, engagedMs: 1000 })
  const batch = { parts: [{ partition: 0, hits: [rawHit(site, NOON), engagement] }] }
  const delayed = `${keyPrefix('hits', lanesOf(queue.connection)[0]!)}:delayed`
  await queue.connection.set(delayed, 'not a set')
  await expect(hitConsumer.consume(batch)).rejects.toThrow('WRONGTYPE')
  await queue.connection.del(delayed)
  await hitConsumer.consume(batch)
  expect(hitConsumer.counts).toMatchObject({ stored: 1, repeated: 1, dropped: 0 })
  expect(await queue.connection.zcard(delayed)).toBe(1)
  await queue.connection.del(delayed)
})
