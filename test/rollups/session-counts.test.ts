import { beforeAll, expect, test } from 'vitest'
import type { Db, Transaction } from '../../src/db/connect.ts'
import { dialect } from '../../src/db/dialect.ts'
import { STORE_RETRY, storeHits } from '../../src/ingestion/store/store.ts'
import { retry } from '../../src/lib/retry.ts'
import { addSessionCounts, keepSessionCounts, readCountedFrom } from '../../src/rollups/session-counts.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { randomHitStream } from '../support/random-hits.ts'
import { recountSessions } from '../support/recount.ts'
import { sweep } from '../support/runs.ts'
import { countSessions, expectCountsEqualRows } from '../support/session-counts.ts'
import { createTestSite } from '../support/sites.ts'
import { recordedHits, storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 2, 10)

let db: Db

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

test.each(sweep([1, 2]))(
  'session counts equal the rows, with late and repeated hits (stream %i)',
  async seed => {
    const stream = randomHitStream(seed)
    await countSessions(db, seed, stream.late.flat())
    const site = await createTestSite(db, { timezone: stream.zone })
    const { dropped } = recountSessions(stream.late)
    const batches = withoutRepeatedDrops(stream.late, dropped)
    await storeVisits(db, site, batches)
    expect(await expectCountsEqualRows(db, site)).toBeGreaterThan(1)
    for (const batch of batches) await storeHits(db, 0, recordedHits(site, batch))
    await expectCountsEqualRows(db, site)
  },
)

test('session counts: partitions have rows of their own, and the counts of a transaction that fails do not stay', async () => {
  await countSessions(db, 1, [])
  const site = await createTestSite(db)
  const store = (partition: number) => storeHits(db, partition, [enrichedHit(site, START + partition)])
  await Promise.all([0, 1, 2, 3].map(store))
  const counts = { siteNo: site.siteNo, startedAt: START, sessions: 1, bounces: 1, durationMs: 0 }
  const failed = db.begin(async tx => {
    await addSessionCounts(tx, 0, [counts])
    throw new Error('stopped')
  })
  await expect(failed).rejects.toThrow('stopped')
  await expectCountsEqualRows(db, site)
  const rows =
    await db`select partition from session_counts where site_no = ${site.siteNo} order by partition`
  expect(rows.map(({ partition }) => partition)).toEqual([0, 1, 2, 3])
})

test('session counts begin in a bucket to come, and are kept for three days', async () => {
  await db`update session_count_span set counted_from = 'infinity'`
  expect(await readCountedFrom(db)).toBe(Number.POSITIVE_INFINITY)
  const site = await createTestSite(db)
  const now = START + 40 * 60_000
  await keepSessionCounts(db, new Date(now))
  expect(await readCountedFrom(db)).toBe(START + HOUR)
  await keepSessionCounts(db, new Date(now + HOUR))
  expect(await readCountedFrom(db)).toBe(START + HOUR)

  const ats = [HOUR - 1, HOUR, 2 * HOUR]
  const hits = ats.map((at, index) => enrichedHit(site, START + at, { visitorId: visitor(index) }))
  await storeHits(db, 0, hits)
  expect(await expectCountsEqualRows(db, site)).toBe(2)
  await keepSessionCounts(db, new Date(START + 74 * HOUR))
  expect(await readCountedFrom(db)).toBe(START + 2 * HOUR)
  // There, counts go a round after the span has moved: sql/citus/queries/move-session-count-span.sql.
  if (dialect().name === 'citus') await keepSessionCounts(db, new Date(START + 74 * HOUR))
  expect(await expectCountsEqualRows(db, site)).toBe(1)
})

const visitor = (index: number) => `00000000-0000-4000-8000-00000000000${index}`

test('session counts: partitions that write the same session at once neither lose a change nor count it twice', async () => {
  await countSessions(db, 1, [])
  const site = await createTestSite(db)
  const visitorId = visitor(0)
  for (let visit = 0; visit < 10; visit++) {
    const at = START + visit * HOUR
    await storeHits(db, 0, [enrichedHit(site, at, { visitorId })])
    const store = (partition: number) =>
      storeHits(db, partition, [enrichedHit(site, at + 1_000 * (partition + 1), { visitorId })])
    await Promise.all([0, 1, 2, 3].map(partition => retry(() => store(partition), STORE_RETRY)))
  }
  const sessions = await db`
    select distinct pageviews, duration_ms::int as "durationMs" from sessions where site_no = ${site.siteNo}`
  expect([...sessions]).toEqual([{ pageviews: 5, durationMs: 4_000 }])
  expect(await expectCountsEqualRows(db, site)).toBe(10)
})

test('storing refuses a session that another partition has changed since it was read, and may store again', async () => {
  await countSessions(db, 1, [])
  const site = await createTestSite(db)
  const visitorId = visitor(0)
  await storeHits(db, 0, [enrichedHit(site, START, { visitorId })])
  const change = (tx: Transaction) =>
    tx`update sessions set pageviews = pageviews + 1 where site_no = ${site.siteNo}`
  const changed = beforeTouch(db, change)
  const hits = [enrichedHit(site, START + 1_000, { visitorId })]
  await expect(storeHits(changed, 1, hits)).rejects.toMatchObject({ code: '40001' })
  await storeHits(db, 1, hits)
  expect(await expectCountsEqualRows(db, site)).toBe(1)
})

/** Returns a handle that changes something just before a transaction updates its sessions. */
function beforeTouch(db: Db, change: (tx: Transaction) => PromiseLike<unknown>): Db {
  const touching = (tx: Transaction) =>
    new Proxy(tx, {
      get(target, name) {
        if (name !== 'unsafe') return Reflect.get(target, name)
        return (...args: Parameters<Transaction['unsafe']>) => {
          // Statements of a transaction run in the order in which they are sent.
          if (args[0].startsWith('/* touch-sessions */')) void change(target).then(() => {})
          return target.unsafe(...args)
        }
      },
    })
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name)
      return (run: (tx: Transaction) => Promise<unknown>) => target.begin(tx => run(touching(tx)))
    },
  })
}
