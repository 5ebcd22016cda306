import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Hit } from '../../../src/ingestion/hit.ts'
import {
  listDeadLetters,
  moveToDeadLetters,
  retryDeadLetters,
} from '../../../src/ingestion/store/dead-letters.ts'
import { createHitConsumer, type HitConsumer } from '../../../src/ingestion/store/hit-consumer.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { adminCommand } from '../../support/admin-command.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit, rawHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { useQueue } from '../storing.ts'

const MINUTE = 60_000
const NOON = Date.UTC(2026, 2, 10, 12)

const database = useDatabase(testDatabase)
const db = dbOf(database)
const queue = useQueue()
let hitConsumer: HitConsumer
let site: TestSite
beforeAll(async () => {
  hitConsumer = createHitConsumer({ db, queue: queue.producer, log: silentLog })
})
const command = ofFile(() => adminCommand({ databaseUrl: database.url, redisUrl: queue.url }))
beforeEach(async () => {
  await db`delete from dead_letters`
  site = await createTestSite(db)
})

/** Stores hits while a table constraint rejects those with the title `kept out`. */
async function takeWhileSomeAreKeptOut(hits: Hit[]) {
  const sites = [...new Set(hits.map(hit => hit.siteNo))].join()
  await db.unsafe(
    `alter table events add constraint kept_out check (site_no not in (${sites}) or title <> 'kept out')`,
  )
  try {
    await hitConsumer.consume({ parts: [{ partition: 1, hits }] })
  } finally {
    await db`alter table events drop constraint kept_out`
  }
}

const keptOut = (at: number, fields: Partial<Hit> = {}) => rawHit(site, at, { title: 'kept out', ...fields })

const bury = (hit: unknown, reason = 'kept out') => moveToDeadLetters(db, hit, new Error(reason))

const retry = (siteNo: number | null = null) => retryDeadLetters(db, siteNo, silentLog)

async function letters() {
  return db<{ id: string; reason: string }[]>`select id, reason from dead_letters order by at`
}

async function eventsOf({ siteNo }: TestSite) {
  return db<{ id: string; type: string }[]>`
    select id, type from events where site_no = ${siteNo} order by at`
}

const sessionsOf = ({ siteNo }: TestSite) => db`
  select pageviews, visit_count as "visitCount", last_at as "lastAt"
  from sessions where site_no = ${siteNo} order by started_at`

test('dead letters: once their cause is gone, hits are stored in their sessions and the letters are deleted', async () => {
  const visitorId = randomUUID()
  const hits = [
    rawHit(site, NOON, { visitorId }),
    keptOut(NOON + MINUTE, { visitorId }),
    rawHit(site, NOON + 2 * MINUTE, { visitorId }),
    keptOut(NOON + 3 * MINUTE),
  ]
  await takeWhileSomeAreKeptOut(hits)
  expect(await letters()).toHaveLength(2)

  expect(await retry()).toEqual({ stored: 2, dropped: 0, failed: 0 })
  expect(await letters()).toEqual([])
  expect((await eventsOf(site)).map(event => event.id)).toEqual(hits.map(hit => hit.id))
  expect(await sessionsOf(site)).toEqual([
    { pageviews: 3, visitCount: 1, lastAt: new Date(NOON + 2 * MINUTE) },
    { pageviews: 1, visitCount: 1, lastAt: new Date(NOON + 3 * MINUTE) },
  ])
  expect(await retry()).toEqual({ stored: 0, dropped: 0, failed: 0 })
})

test('dead letters: a retry that was interrupted after storing counts nothing twice', async () => {
  const hit = keptOut(NOON)
  await takeWhileSomeAreKeptOut([hit])
  await storeHits(db, 'all', [enrichedHit(site, NOON, hit)])
  expect(await retry()).toEqual({ stored: 1, dropped: 0, failed: 0 })
  expect(await eventsOf(site)).toHaveLength(1)
  expect(await sessionsOf(site)).toMatchObject([{ pageviews: 1 }])
  expect(await letters()).toEqual([])
})

test('dead letters: concurrent retries and live hits of the same visitors count once', async () => {
  const visitors = Array.from({ length: 20 }, () => randomUUID())
  const dead = visitors.map((visitorId, index) => keptOut(NOON + index, { visitorId }))
  await takeWhileSomeAreKeptOut(dead)
  const live = visitors.map((visitorId, index) => rawHit(site, NOON + MINUTE + index, { visitorId }))
  await Promise.all([
    retry(),
    ...live.map((hit, index) => hitConsumer.consume({ parts: [{ partition: index % 4, hits: [hit] }] })),
    retry(),
  ])
  expect(await eventsOf(site)).toHaveLength(40)
  const sessions = await sessionsOf(site)
  expect(sessions).toHaveLength(20)
  for (const session of sessions) expect(session).toMatchObject({ pageviews: 2, visitCount: 1 })
  expect(await letters()).toEqual([])
})

test('dead letters: engagement finds its pageview among the letters; orphan engagement is dropped', async () => {
  const visitorId = randomUUID()
  const engagement = { type: 'engagement', title: 'kept out', scroll: 50, engagedMs: 1_000 } as const
  for (const hit of [
    rawHit(site, NOON + MINUTE, { ...engagement, visitorId }),
    rawHit(site, NOON + MINUTE, engagement),
    keptOut(NOON, { visitorId }),
  ])
    await bury(hit)
  expect(await retry()).toEqual({ stored: 2, dropped: 1, failed: 0 })
  expect((await eventsOf(site)).map(event => event.type)).toEqual(['pageview', 'engagement'])
  expect(await letters()).toEqual([])
})

test('dead letters: a letter that fails again stays with the new reason and does not block others', async () => {
  const bad = rawHit(site, NOON, { visitorId: 'no uuid' })
  const good = keptOut(NOON + MINUTE)
  await takeWhileSomeAreKeptOut([bad, good])
  await bury('nonsense')
  await bury(keptOut(NOON, { title: 'x'.repeat(400_000) }))
  await db`update dead_letters set reason = 'of another time', failed_at = '2020-01-01'`
  expect(await retry()).toEqual({ stored: 1, dropped: 0, failed: 3 })
  const left = await db`select reason, failed_at > '2021-01-01' as "isRenewed" from dead_letters`
  expect(left).toHaveLength(3)
  for (const { reason, isRenewed } of left)
    expect([reason === 'of another time', isRenewed]).toEqual([false, true])
})

test('dead letters: a retry for one site leaves other sites alone; letters of a deleted site are dropped', async () => {
  const other = await createTestSite(db)
  await takeWhileSomeAreKeptOut([keptOut(NOON), rawHit(other, NOON, { title: 'kept out' })])
  expect(await retry(site.siteNo)).toMatchObject({ stored: 1 })
  expect(await letters()).toHaveLength(1)
  await db`update sites set deleted_at = now() where site_no = ${other.siteNo}`
  expect(await retry()).toEqual({ stored: 0, dropped: 1, failed: 0 })
  expect(await letters()).toEqual([])
  expect(await eventsOf(other)).toEqual([])
})

test('dead letters: a retry stores more letters than fit into one transaction', async () => {
  for (let index = 0; index < 250; index++) await bury(keptOut(NOON + index * 1_000))
  expect(await retry()).toEqual({ stored: 250, dropped: 0, failed: 0 })
  expect(await eventsOf(site)).toHaveLength(250)
})

test('dead letters: the list has the latest failures and the total', async () => {
  for (const index of [1, 2, 3]) {
    const hit = rawHit(site, NOON + index)
    await bury(hit, `reason ${index}`)
    await db`update dead_letters set failed_at = ${new Date(NOON + index)} where id = ${hit.id}`
  }
  const { total, letters: listed } = await listDeadLetters(db, { siteNo: site.siteNo, limit: 2 })
  expect(total).toBe(3)
  expect(listed.map(letter => letter.reason)).toEqual(['reason 3', 'reason 2'])
  const { siteNo } = await createTestSite(db)
  expect(await listDeadLetters(db, { siteNo, limit: 2 })).toEqual({ total: 0, letters: [] })
})

test('dead letters: the command line lists and retries them', async () => {
  const hit = keptOut(NOON)
  await takeWhileSomeAreKeptOut([hit, keptOut(NOON + MINUTE)])
  const admin = async (...args: string[]) => {
    const { code, stdout, stderr } = await command.run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const listed = await admin('dead-letters:list', '--limit', '1', '--site', site.id)
  expect(listed).toEqual({
    total: 2,
    dead_letters: [
      {
        id: expect.any(String),
        site_id: site.id,
        at: expect.stringMatching(/^2026-03-10T12:0/),
        reason: expect.stringContaining('kept_out'),
        failed_at: expect.any(String),
        payload: expect.stringContaining(site.id),
      },
    ],
  })
  expect(await admin('dead-letters:retry', '--site', site.id)).toEqual({ stored: 2, dropped: 0, failed: 0 })
  expect(await admin('dead-letters:list')).toEqual({ total: 0, dead_letters: [] })
  for (const limit of ['0', '-1', 'many', '10001']) {
    const { code, stderr } = await command.run(['dead-letters:list', '--limit', limit])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: .*whole number from 1 to 10000/)
  }
})
