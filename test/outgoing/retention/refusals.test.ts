import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { findSiteAnywhere } from '../../../src/access/sites/find-site.ts'
import { openGeo } from '../../../src/ingestion/edge/geo.ts'
import { importHits } from '../../../src/ingestion/import/import-hits.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { deletePayment } from '../../../src/money/ledger/change-payment.ts'
import { deleteHistory } from '../../../src/outgoing/retention/delete-history.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { applyRetention } from '../../../src/outgoing/retention/retention-jobs.ts'
import { createLease } from '../../../src/platform/redis/lease.ts'
import { StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import { getOverview } from '../../../src/stats/reads/overview.ts'
import { backfill } from '../../../src/storage/rollups/backfill.ts'
import { rollUpDay } from '../../../src/storage/rollups/daily/roll-up-day.ts'
import { markBuckets } from '../../../src/storage/rollups/dirty.ts'
import { REFRESHING } from '../../../src/storage/rollups/keep-refreshed.ts'
import { unaudited } from '../../support/audit.ts'
import { bareConfig } from '../../support/bare-config.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { pageviewLine, streamOf } from '../../support/import-lines.ts'
import { silentLog } from '../../support/log.ts'
import { ofFile } from '../../support/of-file.ts'
import { useRedis } from '../../support/redis.ts'
import { tablesWithRows } from '../../support/tables-with-rows.ts'
import {
  DAY,
  detailsFrom,
  firstRows,
  HOUR,
  MINUTE,
  NOW,
  newSite,
  pay,
  type Retained,
  readNumbers,
  retain,
  sendVisits,
  services,
  settle,
  storedSite,
} from './retained-sites.ts'

const ALL = { range: 'all' }
const DETAILS_FROM = '2026-05-22T00:00:00.000Z'

const database = useDatabase(testDatabase)
const db = dbOf(database)
const server = useRedis()
/** Settling a site takes 1.5 s of CPU, so the tests share three. */
let dropped: Retained
let unlimited: Retained

const held = ofFile(() => settledSite())

/** A site with visits until a week after the boundary. */
async function sentSite(options: { months?: number }): Promise<Retained> {
  const site = await newSite(db, options)
  await sendVisits(db, site, { first: '2026-04-15', days: 45, every: 11 * HOUR })
  return site
}

/** The same, with a limit, settled. */
async function settledSite(): Promise<Retained> {
  const site = await sentSite({ months: 1 })
  await settle(db)
  return site
}

const overview = async (site: Retained, from: string, to = from) =>
  getOverview(services(db), await storedSite(db, site), StatsQuery.parse({ from, to }))

const comesTo = async (day: string) => {
  await retain(db)
  expect(await detailsFrom(db, held)).toBe(`${day}T00:00:00.000Z`)
}

// In this order: details of the same site move on.
describe('retention drops no day whose numbers are not kept', { shuffle: false }, () => {
  test('days that other dimensions were rolled up of stay, and so does everything after them', {
    tags: ['full'],
  }, async () => {
    await db`update daily_rollups set dimensions_hash = 'old' where site_no = ${held.siteNo}`
    await retain(db)
    expect(await detailsFrom(db, held)).toBeNull()
    await settle(db)
    await db`
    update daily_rollups set dimensions_hash = 'old'
    where site_no = ${held.siteNo} and starts_at = '2026-04-18'`
    await comesTo('2026-04-18')
    await settle(db)
  })

  test('a day that is not rolled up stays, and so does everything after it', async () => {
    const removed = await db<{ row: string }[]>`
    delete from daily_rollups where site_no = ${held.siteNo} and starts_at = '2026-04-20'
    returning daily_rollups::text as row`
    await comesTo('2026-04-20')
    // The chunk that ended on 16 April has gone; the one with the 20th has not.
    expect((await firstRows(db, held)).hit).toMatch(/^2026-04-16/)
    await db`insert into daily_rollups select (${removed[0]!.row}::daily_rollups).*`
  })

  test('a day with a dirty bucket stays until it is refreshed', async () => {
    for (const [aggregate, day] of [
      ['hits', '2026-04-24'],
      ['daily_rollups', '2026-05-08'],
    ] as const) {
      const at = Date.parse(`${day}T10:00:00Z`)
      await db.begin(tx => markBuckets(tx, aggregate, [{ siteNo: held.siteNo, at }]))
      await comesTo(day)
      await settle(db)
    }
  })

  test('rows stay for a minute after the details have moved, for requests that have begun', async () => {
    const seconds = (count: number) => new Date(NOW.getTime() + 10 * MINUTE + count * 1_000)
    while (await applyRetention(db, seconds(0))) {}
    while (await applyRetention(db, seconds(59))) {}
    expect(await detailsFrom(db, held)).toBe(DETAILS_FROM)
    expect((await firstRows(db, held)).hit).toMatch(/^2026-05-07/)
    while (await applyRetention(db, seconds(60))) {}
    expect((await firstRows(db, held)).hit).toMatch(/^2026-05-21/)
  })

  test('a site whose limit was removed keeps what it has', async () => {
    await db`update sites set retention_months = null where site_no = ${held.siteNo}`
    await retain(db, new Date(NOW.getTime() + 400 * DAY))
    expect(await detailsFrom(db, held)).toBe(DETAILS_FROM)
    expect((await firstRows(db, held)).hit).toMatch(/^2026-05-21/)
  })
})

describe('days without details', () => {
  beforeAll(async () => {
    unlimited = await sentSite({})
    dropped = await settledSite()
    await retain(db)
    expect(await detailsFrom(db, dropped)).toBe(DETAILS_FROM)
    // A site without a limit keeps what it has.
    expect(await detailsFrom(db, unlimited)).toBeNull()
    expect((await firstRows(db, unlimited)).hit).toMatch(/^2026-04-15/)
  })

  test('hits:import rejects their lines and says why', { tags: ['full'] }, async () => {
    const site = dropped
    const gone = { from: '2026-04-15', to: '2026-05-21' }
    const before = await readNumbers(db, site, gone)
    const geo = await openGeo(bareConfig().geoipDatabase)
    const ofSite = { siteNo: site.siteNo, siteId: site.id, trackingMode: 'cookieless' } as const
    const target = { ...ofSite, detailsFrom: new Date(DETAILS_FROM) }
    const lines = ['2026-05-21T23:59:59.999Z', DETAILS_FROM].map(at => pageviewLine(Date.parse(at)))
    const options = { db, geo, log: silentLog, now: () => NOW, batchHits: 100 }
    const imported = await importHits(target, streamOf(lines), options)
    expect(imported).toMatchObject({ accepted: 1, rejected_total: 1 })
    expect(imported.rejected[0]).toMatchObject({ line: 1, error: expect.stringContaining(DETAILS_FROM) })
    // The site was read before its details moved on.
    const late = await importHits({ ...target, detailsFrom: null }, streamOf(lines), options)
    const error = expect.stringContaining('retention')
    expect(late).toMatchObject({ accepted: 1, rejected: [{ line: 1, error }] })
    await settle(db)
    // The list counts the last 30 days, and so the line that was accepted.
    expect({ ...(await readNumbers(db, site, gone)), list: [] }).toEqual({ ...before, list: [] })
  })

  test('a late payment counts as revenue, and writes and marks nothing of the hits', async () => {
    const site = dropped
    const before = await overview(site, '2026-04-20')
    const at = new Date('2026-04-20T10:00:00Z')
    const { payment } = await pay(db, site, at, randomUUID())
    const marks = await db`select aggregate from dirty_buckets where site_no = ${site.siteNo}`
    expect(marks).toEqual([{ aggregate: 'revenue' }])
    const events = await db`select from events where site_no = ${site.siteNo} and is_service and at = ${at}`
    expect(events).toEqual([])
    const { visitors, pageviews, sessions, custom_events } = before
    const expected = { visitors, pageviews, sessions, custom_events, revenue: 4_999 }
    expect(await overview(site, '2026-04-20')).toMatchObject(expected)
    await settle(db)
    expect(await overview(site, '2026-04-20')).toMatchObject(expected)
    await db.begin(tx => deletePayment(tx, site, payment.transactionId, 'api'))
    await settle(db)
    expect(await overview(site, '2026-04-20')).toEqual(before)
  })

  test('a backfill, other dimensions and marks leave them as they are', { tags: ['full'] }, async () => {
    const site = dropped
    const before = await readNumbers(db, site, ALL)
    const expectSame = async () => expect(await readNumbers(db, site, ALL)).toEqual(before)
    const parts = { db, lease: createLease(server.redis, REFRESHING), now: () => NOW }
    const backfilled = async (to: string) =>
      (await backfill(parts, [await findSiteAnywhere(db, site.id)], { from: '2026-04-01', to })).days
    expect([await backfilled('2026-06-20'), await backfilled('2026-04-30')]).toEqual([30, 0])
    await expectSame()
    await db`update daily_rollups set dimensions_hash = 'old' where site_no = ${site.siteNo}`
    await expectSame()
    await settle(db)
    await expectSame()
    const [old] = await db`
      select max(ends_at) as "to" from daily_rollups where site_no = ${site.siteNo} and dimensions_hash = 'old'`
    expect(old!.to.toISOString()).toBe(DETAILS_FROM)
    // A process that has read the day before its details went may still try.
    const [start, end] = [Date.parse('2026-04-20'), Date.parse('2026-04-21')]
    const day = { siteNo: site.siteNo, start, end, zone: 'UTC' }
    await rollUpDay(db, { ...day, marks: [] })
    for (const aggregate of ['hits', 'daily_rollups'] as const)
      await db.begin(tx => markBuckets(tx, aggregate, [{ siteNo: site.siteNo, at: start + HOUR }]))
    await expectSame()
    await settle(db)
    await expectSame()
    expect(await db`select from dirty_buckets where site_no = ${site.siteNo}`).toEqual([])
  })

  test('a session over the boundary keeps its row, so that filters by it find its hits of the kept days', {
    tags: ['full'],
  }, async () => {
    const site = await newSite(db, { months: 1 })
    const visitorId = randomUUID()
    const hit = (at: string, fields = {}) => enrichedHit(site, Date.parse(at), { visitorId, ...fields })
    await storeHits(db, 0, [
      hit('2026-05-01T10:00:00Z'),
      hit('2026-05-21T23:50:00Z'),
      hit('2026-05-21T23:51:00Z', { type: 'identify', identity: { identifier: 'ada' } }),
      hit('2026-05-22T00:10:00Z', { url: '/later' }),
    ])
    await settle(db)
    const query = StatsQuery.parse({ from: '2026-05-22', to: '2026-05-23', user_id: 'ada' })
    const read = async () => {
      const asked = await storedSite(db, site)
      const { previous: _previous, ...numbers } = await getOverview(services(db), asked, query)
      return numbers
    }
    const before = await read()
    expect(before).toMatchObject({ visitors: 1, pageviews: 1, sessions: 0 })
    await retain(db)
    expect(await detailsFrom(db, site)).toBe(DETAILS_FROM)
    expect((await firstRows(db, site)).session).toBe('2026-05-21T23:50:00.000Z')
    expect(await read()).toEqual(before)
  })

  test('visit numbers of a visitor with old visits go on after a late visit', {
    tags: ['full'],
  }, async () => {
    const site = await newSite(db, { months: 1 })
    const visitorId = randomUUID()
    const visit = (at: string) => enrichedHit(site, Date.parse(at), { visitorId })
    const store = async (...days: string[]) => {
      for (const day of days) await storeHits(db, 0, [visit(`${day}T10:00:00Z`)])
    }
    await store('2026-04-20', '2026-04-22', '2026-06-10')
    await settle(db)
    await retain(db)
    await store('2026-06-01', '2026-06-11')
    const rows =
      await db`select visit_count as n from sessions where site_no = ${site.siteNo} order by started_at`
    expect(rows.map(({ n }) => n)).toEqual([3, 4, 5])
  })
})

const remove = (site: Retained, before: string) =>
  deleteHistory({ db, audit: unaudited }, { ...site, domain: 'example.com' }, { before })

test('history: the days before the date count 0, also when the deletion is stopped, and the site begins with the date', {
  tags: ['full'],
}, async () => {
  const [site, other] = [dropped, unlimited]
  const days = { from: '2026-06-01', to: '2026-06-20' }
  const before = [await readNumbers(db, site, days), await readNumbers(db, other, ALL)]
  await remove(site, '2026-04-27')
  expect((await storedSite(db, site)).firstEventAt).toEqual(new Date('2026-04-27'))
  for (let step = 0; step < 5; step++) {
    let transactions = 1
    await applyRetention(db, NOW, () => transactions-- > 0)
  }
  while (await applyRetention(db, NOW)) {}
  const check = async () => {
    const gone = await overview(site, '2026-04-15', '2026-04-26')
    expect(gone).toMatchObject({ visitors: 0, pageviews: 0, sessions: 0 })
    expect(gone.revenue).toBeGreaterThan(0)
    expect(await overview(site, '2026-04-20')).toMatchObject({ visitors: 0, sessions: 0 })
    expect([await readNumbers(db, site, days), await readNumbers(db, other, ALL)]).toEqual(before)
  }
  await check()
  await settle(db)
  await check()
  for (const [table, time] of [
    ['daily_rollups', 'starts_at'],
    ['daily_value_rollups', 'starts_at'],
    ['kept_hit_buckets', 'bucket'],
    ['hits_15m', 'bucket'],
    ['kept_session_buckets', 'bucket'],
  ] as const) {
    const left = await db`
      select from ${db(table)} where site_no = ${site.siteNo} and ${db(time)} < '2026-04-27' limit 1`
    expect(left, table).toEqual([])
  }
})

test('purge: a deleted site without details leaves no rows', { tags: ['full'] }, async () => {
  const [site, other] = [dropped, unlimited]
  const before = await readNumbers(db, other, ALL)
  await db`update sites set deleted_at = ${NOW} where site_no = ${site.siteNo}`
  const later = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE)
  for (let run = 0; run < 5; run++) {
    await purgeDeletedSites(db, later(20))
    await settle(db)
  }
  expect(await tablesWithRows(db, site)).toEqual([])
  expect((await db`select purged_at from sites where site_no = ${site.siteNo}`)[0]!.purged_at).not.toBeNull()
  expect(await readNumbers(db, other, ALL)).toEqual(before)
})
