import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { SITE_CHANGES } from '../../../src/access/sites/change-site.ts'
import { createSiteKeys } from '../../../src/ingestion/edge/site-keys.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import type { RedisClient } from '../../../src/platform/redis/client.ts'
import { connectPatientRedis } from '../../../src/platform/redis/connect-redis.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { silentLog } from '../../support/log.ts'
import { createTestSite } from '../../support/sites.ts'
import { useQueue } from '../storing.ts'

const MINUTE = 60_000

const database = useDatabase()
const db = dbOf(database)
const queue = useQueue()
let subscriber: RedisClient
beforeAll(() => {
  subscriber = connectPatientRedis(queue.url, silentLog)
})
afterAll(() => subscriber.disconnect())
afterEach(() => {
  vi.useRealTimers()
})

/** Site keys that have loaded the sites. */
async function loaded(from = db) {
  const siteKeys = createSiteKeys(from, subscriber)
  await siteKeys.preload()
  return siteKeys
}

test('site keys: hits of loaded sites do not wait for the database', async () => {
  const sites = [await createTestSite(db), await createTestSite(db, { timezone: 'Asia/Kathmandu' })]
  const deleted = await createTestSite(db)
  await db`update sites set deleted_at = now() where site_no = ${deleted.siteNo}`
  const siteKeys = await loaded(db)
  for (const site of sites) {
    const found = siteKeys.find(site.key)
    expect(found).not.toBeInstanceOf(Promise)
    expect(found).toMatchObject({ siteNo: site.siteNo, siteId: site.id, trackingMode: 'cookieless' })
    expect(found).toEqual(await createSiteKeys(db, subscriber).find(site.key))
  }
  expect(await siteKeys.find(deleted.key)).toBeUndefined()
  expect(await siteKeys.find(randomUUID())).toBeUndefined()
})

test('site keys: a loaded site is forgotten when it changes', async () => {
  const site = await createTestSite(db)
  const siteKeys = await loaded(db)
  await db`update sites set track_errors = true where site_no = ${site.siteNo}`
  const publisher = subscriber.duplicate()
  // A notice before the subscription is confirmed would be lost.
  const noticed = async () => {
    await publisher.publish(SITE_CHANGES, site.key)
    return siteKeys.find(site.key)
  }
  await expect.poll(noticed).toMatchObject({ siteNo: site.siteNo, trackErrors: true })
  publisher.disconnect()
})

test('site keys: after a minute the database is read again, even without a change notice', async () => {
  const site = await createTestSite(db)
  const siteKeys = await loaded(db)
  await db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + MINUTE })
  expect(await siteKeys.find(site.key)).toBeUndefined()
})

test('site keys: while the database is unavailable the last known site stays valid, even after an hour', async () => {
  const site = await createTestSite(db)
  const lost = connectDb(database.url, { max: 1, name: 'test' })
  const siteKeys = await loaded(lost)
  await lost.end()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * MINUTE })
  expect(await siteKeys.find(site.key)).toMatchObject({ siteNo: site.siteNo })
})

test('site keys: sites with traffic are refreshed together, by one statement, even without a change notice', async () => {
  const [changed, deleted] = [await createTestSite(db), await createTestSite(db)]
  const kept = await createTestSite(db)
  const statements: string[] = []
  const debug = (_connection: number, text: string) => statements.push(text)
  const watched = connectDb(database.url, { max: 2, name: 'test', debug })
  const siteKeys = await loaded(watched)
  await db`update sites set track_errors = true where site_no = ${changed.siteNo}`
  await db`update sites set deleted_at = now() where site_no = ${deleted.siteNo}`
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 })
  // The hit itself does not wait.
  for (const site of [changed, deleted, kept]) {
    expect(siteKeys.find(site.key)).toMatchObject({ siteNo: site.siteNo, trackErrors: false })
  }
  await expect.poll(() => siteKeys.find(changed.key)).toMatchObject({ trackErrors: true })
  expect(siteKeys.find(deleted.key)).toBeUndefined()
  expect(siteKeys.find(kept.key)).toMatchObject({ siteNo: kept.siteNo })
  expect(statements.filter(text => text.includes('tracking_key = '))).toHaveLength(1)
  await watched.end()
})

test('site keys: a flood of invented keys makes no site wait for the database', async () => {
  const site = await createTestSite(db)
  const siteKeys = await loaded(db)
  for (let count = 0; count < 20_001; count++) await siteKeys.find(`invented ${count}`)
  expect(siteKeys.find(site.key)).toMatchObject({ siteNo: site.siteNo })
})
