import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/connect.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { importHits } from '../../src/ingestion/import/import-hits.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { createLease } from '../../src/redis/lease.ts'
import { deleteHistory } from '../../src/retention/delete-history.ts'
import { applyRetention } from '../../src/retention/jobs.ts'
import { deletePayment } from '../../src/revenue/ledger/change-payment.ts'
import { rollUpDay } from '../../src/rollups/daily/roll-up-day.ts'
import { markBuckets } from '../../src/rollups/dirty.ts'
import { REFRESHING } from '../../src/rollups/keep-refreshed.ts'
import { purgeDeletedSites } from '../../src/sites/purge-deleted-sites.ts'
import { backfill } from '../../src/stats/backfill.ts'
import { StatsQuery } from '../../src/stats/filters/query.ts'
import { getOverview } from '../../src/stats/reports/overview.ts'
import { unaudited } from '../support/audit.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { pageviewLine, streamOf } from '../support/import-lines.ts'
import { silentLog } from '../support/log.ts'
import { connectTo, testRedis } from '../support/redis.ts'
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

let database: TestDatabase
let db: Db
/** Settling a site takes 1.5 s of CPU, so the tests share three. */
let held: Retained
let dropped: Retained
let unlimited: Retained

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  held = await settledSite()
})
afterAll(() => database.close())

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

describe('retention drops no day whose numbers are not kept', () => {
  const comesTo = async (day: string) => {
    await retain(db)
    expect(await detailsFrom(db, held)).toBe(`${day}T00:00:00.000Z`)
  }

  test('a site whose days were rolled up with other dimensions keeps its details', async () => {
    await db`update daily_rollups set dimensions_hash = 'old' where site_no = ${held.siteNo}`
    await retain(db)
    expect(await detailsFrom(db, held)).toBeNull()
    await settle(db)
  })

  test('a day that other dimensions were rolled up of stays, and so does everything after it', async () => {
    await db`
      update daily_rollups set dimensions_hash = 'old'
      where site_no = ${held.siteNo} and starts_at = '2026-04-18'`
    await comesTo('2026-04-18')
    await settle(db)
  })

  test('a day that is not rolled up stays, and so does everything after it', async () => {
    await db`
      create table removed as
      select * from daily_rollups where site_no = ${held.siteNo} and starts_at = '2026-04-20'`
    await db`delete from daily_rollups where site_no = ${held.siteNo} and starts_at = '2026-04-20'`
    await comesTo('2026-04-20')
    // The chunk that ended on 16 April has gone; the one with the 20th has not.
    expect((await firstRows(db, held)).hit).toMatch(/^2026-04-16/)
    await db`insert into daily_rollups select * from removed`
    await db`drop table removed`
  })

  test.each([
    ['hits', '2026-04-24'],
    ['sessions', '2026-05-01'],
    ['daily_rollups', '2026-05-08'],
  ] as const)('a day with a dirty bucket of %s stays until it is refreshed', async (aggregate, day) => {
    const at = Date.parse(`${day}T10:00:00Z`)
    await db.begin(tx => markBuckets(tx, aggregate, [{ siteNo: held.siteNo, at }]))
    await comesTo(day)
    // The next test finds that the details move on.
    await settle(db)
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
  })

  test('a site without a limit keeps what it has', async () => {
    expect(await detailsFrom(db, unlimited)).toBeNull()
    expect((await firstRows(db, unlimited)).hit).toMatch(/^2026-04-15/)
  })

  test('hits:import rejects their lines and says why', async () => {
    const site = dropped
    const gone = { from: '2026-04-15', to: '2026-05-21' }
    const before = await readNumbers(db, site, gone)
    const environment = {
      DATABASE_URL: database.url,
      REDIS_URL: 'redis://nowhere',
      SECRET_KEY: '0'.repeat(64),
    }
    const geo = await openGeo(loadConfig(environment).geoipDatabase)
    const { siteNo, id } = site
    const target = {
      siteNo,
      siteId: id,
      trackingMode: 'cookieless',
      detailsFrom: new Date(DETAILS_FROM),
    } as const
    const lines = ['2026-05-21T23:59:59.999Z', DETAILS_FROM].map(at => pageviewLine(Date.parse(at)))
    const options = { db, geo, log: silentLog, now: () => NOW, batchHits: 100 }
    const imported = await importHits(target, streamOf(lines), options)
    expect(imported).toMatchObject({ accepted: 1, rejected_total: 1 })
    expect(imported.rejected[0]).toMatchObject({ line: 1, error: expect.stringContaining(DETAILS_FROM) })
    // The site was read before its details moved on.
    const late = await importHits({ ...target, detailsFrom: null }, streamOf(lines), options)
    expect(late).toMatchObject({
      accepted: 1,
      rejected: [{ line: 1, error: expect.stringContaining('retention') }],
    })
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
    const [events] = await db`
      select count(*)::int as count from events where site_no = ${site.siteNo} and is_service and at = ${at}`
    expect(events!.count).toBe(0)
    const traffic = ({ visitors, pageviews, sessions, custom_events }: typeof before) => [
      visitors,
      pageviews,
      sessions,
      custom_events,
    ]
    for (const isSettled of [false, true]) {
      if (isSettled) await settle(db)
      const after = await overview(site, '2026-04-20')
      expect(after.revenue).toBe(4_999)
      expect(traffic(after)).toEqual(traffic(before))
    }
    await db.begin(tx => deletePayment(tx, site, payment.transactionId, 'api'))
    await settle(db)
    expect(await overview(site, '2026-04-20')).toEqual(before)
  })

  test('a backfill, other dimensions and marks leave them as they are', async () => {
    const site = dropped
    const before = await readNumbers(db, site, ALL)
    const server = await testRedis()
    const redis = await connectTo(server)
    const lease = createLease(redis, REFRESHING)
    const { days } = await backfill(
      { db, lease, now: () => NOW },
      { site: site.id, from: '2026-04-01', to: '2026-06-20' },
    )
    expect(days).toBe(30)
    expect(
      await backfill({ db, lease, now: () => NOW }, { site: site.id, from: '2026-04-01', to: '2026-04-30' }),
    ).toMatchObject({ days: 0 })
    redis.disconnect()
    await server.close()
    expect(await readNumbers(db, site, ALL)).toEqual(before)
    await db`update daily_rollups set dimensions_hash = 'old' where site_no = ${site.siteNo}`
    expect(await readNumbers(db, site, ALL)).toEqual(before)
    await settle(db)
    expect(await readNumbers(db, site, ALL)).toEqual(before)
    const [old] = await db`
      select count(*)::int as count, max(ends_at) as "to" from daily_rollups
      where site_no = ${site.siteNo} and dimensions_hash = 'old'`
    expect(old!.to.toISOString()).toBe(DETAILS_FROM)
    // A process that has read the day before its details went may still try.
    const day = {
      siteNo: site.siteNo,
      start: Date.parse('2026-04-20'),
      end: Date.parse('2026-04-21'),
      zone: 'UTC',
    }
    await rollUpDay(db, { ...day, rolledUpTo: NOW.getTime(), isAnew: true, marks: [] })
    for (const aggregate of ['hits', 'sessions', 'daily_rollups'] as const)
      await db.begin(tx => markBuckets(tx, aggregate, [{ siteNo: site.siteNo, at: day.start + HOUR }]))
    expect(await readNumbers(db, site, ALL)).toEqual(before)
    await settle(db)
    expect(await readNumbers(db, site, ALL)).toEqual(before)
    expect(await db`select from dirty_buckets where site_no = ${site.siteNo}`).toEqual([])
  })

  test('a session over the boundary keeps its row, so that filters by it find its hits of the kept days', async () => {
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
    const range = { from: '2026-05-22', to: '2026-05-23' }
    const read = async () => {
      const { previous: _previous, ...numbers } = await getOverview(
        services(db),
        await storedSite(db, site),
        StatsQuery.parse({ ...range, user_id: 'ada' }),
      )
      return numbers
    }
    const before = await read()
    expect(before).toMatchObject({ visitors: 1, pageviews: 1, sessions: 0 })
    await retain(db)
    expect(await detailsFrom(db, site)).toBe(DETAILS_FROM)
    expect((await firstRows(db, site)).session).toBe('2026-05-21T23:50:00.000Z')
    expect(await read()).toEqual(before)
  })

  test('visit numbers of a visitor with old visits go on after a late visit', async () => {
    const site = await newSite(db, { months: 1 })
    const visitorId = randomUUID()
    const visit = (at: string) => enrichedHit(site, Date.parse(at), { visitorId })
    await storeHits(db, 0, [
      visit('2026-04-20T10:00:00Z'),
      visit('2026-04-22T10:00:00Z'),
      visit('2026-06-10T10:00:00Z'),
    ])
    await settle(db)
    await retain(db)
    await storeHits(db, 0, [visit('2026-06-01T10:00:00Z'), visit('2026-06-11T10:00:00Z')])
    const rows =
      await db`select visit_count as n from sessions where site_no = ${site.siteNo} order by started_at`
    expect(rows.map(({ n }) => n)).toEqual([3, 4, 5])
  })
})

const named = (site: Retained) => ({ ...site, domain: 'example.com' })

describe('history', () => {
  test('its deletion needs days without details', async () => {
    const kept = unlimited
    await expect(
      deleteHistory({ db, audit: unaudited }, named(kept), { before: '2026-04-20' }),
    ).rejects.toMatchObject({
      code: 'validation_failed',
    })
    const site = dropped
    await expect(
      deleteHistory({ db, audit: unaudited }, named(site), { before: '2026-05-23' }),
    ).rejects.toThrow(DETAILS_FROM)
  })

  test('the days before the date count 0, also when the deletion is stopped, and the site begins with the date', async () => {
    const [site, other] = [dropped, unlimited]
    const days = { from: '2026-06-01', to: '2026-06-20' }
    const before = [await readNumbers(db, site, days), await readNumbers(db, other, ALL)]
    await deleteHistory({ db, audit: unaudited }, named(site), { before: '2026-04-27' })
    expect((await storedSite(db, site)).firstEventAt).toEqual(new Date('2026-04-27'))
    for (let step = 0; step < 5; step++) {
      let transactions = 1
      await applyRetention(db, NOW, () => transactions-- > 0)
    }
    while (await applyRetention(db, NOW)) {}
    const check = async () => {
      expect(await overview(site, '2026-04-15', '2026-04-26')).toMatchObject({
        visitors: 0,
        pageviews: 0,
        sessions: 0,
      })
      expect(await overview(site, '2026-04-20')).toMatchObject({ visitors: 0, sessions: 0 })
      expect((await overview(site, '2026-04-15', '2026-04-26')).revenue).toBeGreaterThan(0)
      expect([await readNumbers(db, site, days), await readNumbers(db, other, ALL)]).toEqual(before)
    }
    await check()
    await settle(db)
    await check()
    const [left] = await db`
      select
        (select count(*)::int from daily_rollups where site_no = ${site.siteNo} and starts_at < '2026-04-27')
        + (select count(*)::int from daily_value_rollups where site_no = ${site.siteNo} and starts_at < '2026-04-27')
        + (select count(*)::int from kept_hit_buckets where site_no = ${site.siteNo} and bucket < '2026-04-27')
        + (select count(*)::int from hits_15m where site_no = ${site.siteNo} and bucket < '2026-04-27')
        + (select count(*)::int from sessions_15m where site_no = ${site.siteNo} and bucket < '2026-04-27') as count`
    expect(left!.count).toBe(0)
  })
})

test('purge: a deleted site without details leaves no rows', async () => {
  const [site, other] = [dropped, unlimited]
  const before = await readNumbers(db, other, ALL)
  await db`update sites set deleted_at = ${NOW} where site_no = ${site.siteNo}`
  const later = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE)
  for (let run = 0; run < 5; run++) {
    await purgeDeletedSites(db, later(20))
    await settle(db)
  }
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'site_no' and table_name not in ('sites', 'deleted_sites')`
  for (const { name } of tables) {
    expect({ name, rows: await db`select from ${db(name)} where site_no = ${site.siteNo} limit 1` }).toEqual({
      name,
      rows: [],
    })
  }
  expect((await db`select purged_at from sites where site_no = ${site.siteNo}`)[0]!.purged_at).not.toBeNull()
  expect(await readNumbers(db, other, ALL)).toEqual(before)
})
