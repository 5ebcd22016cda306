import { expect, test } from 'vitest'
import type { Geo } from '../../../../src/ingestion/edge/geo.ts'
import type { EnrichedHit, Hit } from '../../../../src/ingestion/hit.ts'
import { importHits } from '../../../../src/ingestion/import/import-hits.ts'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import type { ImportServices } from '../../../../src/outgoing/transfer/imports/import-kind.ts'
import { deleteVisitors } from '../../../../src/outgoing/transfer/imports/undo/delete-visitors.ts'
import { undoHits } from '../../../../src/outgoing/transfer/imports/undo/undo-hits.ts'
import { connectDb } from '../../../../src/platform/db/connect.ts'
import { createLease } from '../../../../src/platform/redis/lease.ts'
import { createRefresher, REFRESHING } from '../../../../src/storage/rollups/keep-refreshed.ts'
import { useDatabase } from '../../../support/database.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { pageviewLine, streamOf } from '../../../support/import-lines.ts'
import { ALONE } from '../../../support/import-services.ts'
import { silentLog } from '../../../support/log.ts'
import { ofFile } from '../../../support/of-file.ts'
import { useRedis } from '../../../support/redis.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'
import { expectConsistent } from '../../people/steps.ts'
import { refused } from '../read/source.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const START = Date.parse('2026-01-10T08:00:00Z')
const DAY = 86_400_000
const LIVE = '00000000-0000-4000-8000-0000000000aa'
const ONE = '00000000-0000-5000-8000-000000000001'
const OTHER = '00000000-0000-5000-8000-000000000002'

const database = useDatabase()
const server = useRedis()
const services = ofFile(async () => {
  const parts = { db: database.db, log: silentLog, now: () => NOW }
  const refresher = createRefresher({ ...parts, lease: createLease(server.redis, REFRESHING) })
  return { ...parts, refresher } as ImportServices
})

const hitOf = (site: TestSite, at: number, visitorId: string, fields: Partial<Hit> = {}) =>
  enrichedHit(site, at, { visitorId, ...fields })
const imported = (hit: EnrichedHit, importedAs = 'umami') => ({ ...hit, importedAs })
const store = (...hits: EnrichedHit[]) => storeHits(database.db, 'all', hits)
const undo = (site: TestSite, format = 'umami') =>
  undoHits(services, { siteNo: site.siteNo, format, turn: ALONE })
const newSite = () => createTestSite(database.db)
const identify = (site: TestSite, at: number, visitorId: string, identifier: string) =>
  hitOf(site, at, visitorId, { type: 'identify', identity: { identifier } })
const count = async (table: string, { siteNo }: TestSite) =>
  (await database.db`select from ${database.db(table)} where site_no = ${siteNo}`).length

test('undo of imported hits: no visitor is deleted who has a session', async () => {
  const site = await newSite()
  const page = (at: number, visitorId: string) => imported(hitOf(site, at, visitorId))
  await store(page(START, ONE), page(START + DAY, ONE), page(START, OTHER))
  expect(await deleteVisitors(database.db, { siteNo: site.siteNo, format: 'umami', turn: ALONE })).toBe(true)
  expect(await count('visitors', site)).toBe(2)
  // A count that is too high keeps no visitor.
  await database.db`delete from events where site_no = ${site.siteNo}`
  await database.db`
    delete from sessions using visitors
    where sessions.site_no = ${site.siteNo} and sessions.visitor_no = visitors.visitor_no
      and visitors.site_no = ${site.siteNo} and id = ${OTHER}`
  expect(await deleteVisitors(database.db, { siteNo: site.siteNo, format: 'umami', turn: ALONE })).toBe(true)
  expect(await count('visitors', site)).toBe(1)
  await undo(site)
  expect([await count('visitors', site), await count('sessions', site)]).toEqual([0, 0])
})

test('undo of imported hits: an identify that came months after the visitor is removed, too', async () => {
  const site = await newSite()
  for (const at of [START, START + 40 * DAY]) await store(imported(identify(site, at, ONE, 'ada')))
  await undo(site)
  expect([await count('events', site), await count('visitors', site)]).toEqual([0, 0])
})

test('undo of imported hits: a user whom two formats know stays until both are removed', async () => {
  const site = await newSite()
  const known = (visitorId: string, identifier: string, importedAs: string) =>
    imported(identify(site, START, visitorId, identifier), importedAs)
  await store(known(ONE, 'ada', 'umami'), known(ONE, 'ben', 'umami'))
  await store(known(OTHER, 'ada', 'posthog'), known(OTHER, 'cai', 'posthog'))
  await store(known(ONE, 'ada', 'umami'))
  const users = async () => {
    const rows = await database.db`
      select identifier || ' ' || imported_as as user from identities
      where site_no = ${site.siteNo} order by identifier`
    return rows.map(({ user }) => user)
  }
  expect(await users()).toEqual(['ada umami,posthog', 'ben umami', 'cai posthog'])
  await undo(site)
  expect(await users()).toEqual(['ada posthog', 'cai posthog'])
  await undo(site, 'posthog')
  expect(await users()).toEqual([])
})

test('undo of imported hits: an access log and lines of this service share no visitor, so one can be removed without the other', async () => {
  const site = await newSite()
  const ofSite = { siteId: site.id, siteNo: site.siteNo, trackingMode: 'cookieless' } as const
  const geo = { locate: () => ({ country: '', region: '', city: '' }) } as Geo
  const line = (path: string) =>
    pageviewLine(START, { ip: '203.0.113.7', user_agent: 'Mozilla/5.0 Firefox/130.0' }, { url: { path } })
  const importAs = (importedAs: string | undefined, path: string) =>
    importHits(ofSite, streamOf([line(path)]), { ...services, geo, batchHits: 10, importedAs })
  await importAs('access-log', '/log')
  await importAs('access-log', '/more')
  await importAs(undefined, '/own')
  expect(await count('visitors', site)).toBe(2)
  await undo(site, 'access-log')
  const left = await database.db`select path from events where site_no = ${site.siteNo}`
  expect(left.map(({ path }) => path)).toEqual(['/own'])
})

test('undo of imported hits: names, keys and errors of the import leave their place to later hits of the day', async () => {
  const site = await newSite()
  const event = (name: string, visitorId: string) =>
    hitOf(site, START, visitorId, { type: 'event', name, props: { [`key of ${name}`]: '1' } })
  const error = (message: string, visitorId: string) =>
    hitOf(site, START, visitorId, { type: 'error', name: 'error', error: { message } })
  const values = () => database.db`
    select kind, length(digests) from daily_values
    where site_no = ${site.siteNo} and digests <> '' order by kind`
  await store(event('live', LIVE), error('live', LIVE), hitOf(site, START, LIVE, { props: { plan: 'a' } }))
  const before = await values()
  await store(imported(event('gone', ONE)), imported(error('gone', ONE)))
  await undo(site)
  expect(await values()).toEqual(before)
  // Another process, which remembers no values. Of three names a day, the site has two.
  const other = connectDb(database.url, { max: 1, name: 'test' })
  const late = await storeHits(other, 'all', [event('late', LIVE)], 3)
  await other.end({ timeout: 5 })
  expect(late.others).toEqual({ event_name: 0, property_key: 0, error_group: 0 })
  const names = await database.db`
    select distinct name from events where site_no = ${site.siteNo} and type = 'event' order by name`
  expect(names.map(({ name }) => name)).toEqual(['late', 'live'])
  await expectConsistent(database.db, site)
})

test('undo of imported hits: values of a day that retention has cut stay, also those whose hits are gone', async () => {
  const site = await newSite()
  const event = (at: number, name: string, visitorId: string) =>
    hitOf(site, at, visitorId, { type: 'event', name })
  const names = async () => {
    const rows = await database.db`
      select length(digests) / 8 as count from daily_values
      where site_no = ${site.siteNo} and kind = 'event_name' order by day`
    return rows.map(({ count }) => count)
  }
  for (const day of [START, START + DAY])
    await store(event(day - 3_600_000, 'live', LIVE), imported(event(day, 'gone', ONE)))
  expect(await names()).toEqual([2, 2])
  const { db } = database
  await db`update sites set details_from = ${new Date(START - 1)} where site_no = ${site.siteNo}`
  await db`delete from events where site_no = ${site.siteNo} and at < ${new Date(START - 1)}`
  await undo(site)
  expect(await names()).toEqual([2, 1])
})

test('undo of imported hits: it stops when retention moves past what it would delete', async () => {
  const site = await newSite()
  await store(imported(hitOf(site, START, ONE)))
  const detailsFrom = new Date(START + DAY)
  await database.db`update sites set details_from = ${detailsFrom} where site_no = ${site.siteNo}`
  await expect(undo(site)).rejects.toMatchObject(refused(/details of the site before .* are gone/))
  expect(await count('visitors', site)).toBe(1)
})
