import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { dialect } from '../../../src/platform/db/dialects/chosen-dialect.ts'
import { getOverview } from '../../../src/stats/reads/overview.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { markBuckets } from '../../../src/storage/rollups/dirty.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { dyingAfter } from '../../support/dying-after.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readServices } from '../../support/read-services.ts'
import { IS_QUICK, sweep } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { tablesWithRows } from '../../support/tables-with-rows.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const START = Date.UTC(2026, 1, 1)
const DAYS = 20
/** Long after the last hit: everything is below the watermark. */
const NOW = new Date(START + (DAYS + 5) * DAY)
const later = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE)

const database = useDatabase(testDatabase)
const db = dbOf(database)

/** Stores one visitor every three hours, with two pageviews and one identify call. */
async function sendHits(site: TestSite): Promise<void> {
  const hits = []
  for (let at = START; at < START + DAYS * DAY; at += 180 * MINUTE) {
    const visitorId = randomUUID()
    hits.push(
      enrichedHit(site, at, { visitorId }),
      enrichedHit(site, at + MINUTE, { visitorId, url: '/second' }),
      enrichedHit(site, at + 2 * MINUTE, { type: 'identify', visitorId, identity: { identifier: `${at}` } }),
    )
  }
  await storeHits(db, 0, hits)
}

/** Adds a row to every other table that has rows of a site. */
async function addMoney({ siteNo }: TestSite): Promise<void> {
  const at = new Date(START + 3 * DAY)
  await db`insert into goals (site_no, display_name, type, match_operator) values (${siteNo}, 'Goal', 'page', 'is')`
  await db`insert into processor_connections (site_no, provider, webhook_secret) values (${siteNo}, 'stripe', '\\x00')`
  await db`insert into webhook_events (site_no, event_id, type, created_at) values (${siteNo}, 'evt', 'x', ${at})`
  await db`insert into subscriptions (site_no, subscription_id, currency, status, mrr_minor, state)
    values (${siteNo}, 'sub', 'USD', 'active', 100, '{}')`
  await db`insert into payments (site_no, transaction_id, amount_minor, currency, paid_at, source)
    values (${siteNo}, 'tx', 100, 'USD', ${at}, 'api')`
  await db`insert into payment_aliases (site_no, transaction_id, payment_id)
    select ${siteNo}, 'alias', id from payments where site_no = ${siteNo}`
  await db`insert into awaiting_visitors (site_no, visitor_id, target, at, id)
    values (${siteNo}, gen_random_uuid(), 'revenue', ${at}, gen_random_uuid())`
  await db`insert into revenue (site_no, at, payment_id, currency, amount_minor, is_recurring)
    values (${siteNo}, ${at}, gen_random_uuid(), 'USD', 100, false)`
  await db.begin(tx => markBuckets(tx, 'revenue', [{ siteNo, at: at.getTime() }]))
  await db`insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
    values (${siteNo}, ${new Date(START + 40 * DAY)}, 'sub', 'start', 'USD', 100)`
  await db`insert into dead_letters (id, site_no, reason, payload) values (gen_random_uuid(), ${siteNo}, 'x', 'x')`
  await db`insert into session_replays values (${siteNo}, 1, ${at}, 1, ${at}, ${at}, 1, 2, 1, 1, 1)`
}

const remains = (site: TestSite) => tablesWithRows(db, site)

async function refresh(now = NOW): Promise<void> {
  for (const aggregate of ['hits', 'revenue'] as const) await refreshAggregate(db, aggregate, now)
}

async function isPurged({ siteNo }: TestSite): Promise<boolean> {
  const [row] = await db`select purged_at from sites where site_no = ${siteNo}`
  return row!.purged_at !== null
}

const markDeleted = ({ siteNo }: TestSite) =>
  db`update sites set deleted_at = ${NOW} where site_no = ${siteNo}`

/** Purges until no hits and sessions are left: each round has a time limit. */
async function purgeRows(site: TestSite, now: Date): Promise<void> {
  const isLeft = async () => (await remains(site)).some(table => table === 'events' || table === 'sessions')
  for (let run = 0; run < 20 && (await isLeft()); run++) await purgeDeletedSites(db, now)
}

/** Overviews of the whole period and of each day; with `isBrief` only of the period and of a day in the middle. */
async function overviews(site: TestSite, isBrief = false): Promise<unknown[]> {
  const parts = readServices(db, NOW)
  const dayOf = (day: number) => new Date(START + day * DAY).toISOString().slice(0, 10)
  const days = Array.from({ length: DAYS + 1 }, (_, day) => dayOf(day))
  const read = { siteNo: site.siteNo, teamId: 'team', timezone: 'UTC', currency: 'USD', firstEventAt: null }
  const ask = (from: string, to: string) => getOverview(parts, read, { range: 'today', from, to })
  const asked = isBrief ? [days[DAYS / 2]!] : days
  return Promise.all([ask(days[0]!, days.at(-1)!), ...asked.map(day => ask(day, day))])
}

test.each(dialect().name === 'citus' ? ['as rows'] : sweep(['in the columnstore', 'as rows']))(
  'purge: a deleted site leaves no rows and changes no number of another site, with its data %s',
  async storage => {
    const [gone, other] = [await createTestSite(db), await createTestSite(db)]
    for (const site of [gone, other]) {
      await sendHits(site)
      await addMoney(site)
    }
    await refresh()
    if (storage === 'in the columnstore') expect(await compressSettledChunks(db, NOW)).toBeGreaterThan(3)
    // Reads keep columns.
    await overviews(gone, true)
    const before = await overviews(other)
    const briefBefore = await overviews(other, true)
    const kept = await remains(other)
    expect(await remains(gone)).toEqual(kept)
    await markDeleted(gone)

    // Stops the purge after each possible number of statements (in steps of three) and starts it again.
    for (
      let calls = 1;
      (await remains(gone)).some(table => !/_15m|dirty/.test(table));
      calls += IS_QUICK ? 12 : 3
    ) {
      await purgeDeletedSites(dyingAfter(db, calls), NOW).catch(error => expect(error.message).toBe('killed'))
      expect(await overviews(other, true)).toEqual(briefBefore)
    }
    expect(await remains(gone)).toEqual(['dirty_buckets', 'hits_15m', 'hits_15m_refreshed', 'revenue_15m'])
    await purgeDeletedSites(db, later(60))
    expect(await isPurged(gone)).toBe(false)
    await refresh()
    expect(await remains(gone)).toEqual([])
    await purgeDeletedSites(db, later(60))
    expect(await isPurged(gone)).toBe(true)
    expect(await remains(other)).toEqual(kept)
    expect(await overviews(other)).toEqual(before)
  },
)

test('purge: hits that were in flight are removed, too, before the purge is finished', {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(db)
  await sendHits(site)
  await markDeleted(site)
  await purgeRows(site, later(1))
  await refresh()
  expect(await remains(site)).toEqual([])
  await purgeDeletedSites(db, later(9))
  expect(await isPurged(site)).toBe(false)

  // Stores the hits of a transaction that read the site before its deletion.
  await db`update sites set deleted_at = null where site_no = ${site.siteNo}`
  await storeHits(db, 0, [enrichedHit(site, START + 90_000), enrichedHit(site, NOW.getTime())])
  await markDeleted(site)
  await purgeDeletedSites(db, later(11))
  expect(await isPurged(site)).toBe(false)
  await refresh()
  await purgeDeletedSites(db, later(12))
  expect(await isPurged(site)).toBe(true)
  expect(await remains(site)).toEqual([])
})

test('purge: a deleted team goes when all of its sites are purged, and leaves no rows; other teams stay', {
  tags: ['full'],
}, async () => {
  const [one, two, other] = [await createTestSite(db), await createTestSite(db), await createTestSite(db)]
  const rows = await db<{ id: string }[]>`
    select team_id as id from sites where site_no in (${one.siteNo}, ${other.siteNo}) order by site_no = ${other.siteNo}`
  const [teamId, otherTeam] = rows.map(({ id }) => id) as [string, string]
  await db`update sites set team_id = ${teamId} where site_no = ${two.siteNo}`
  const hasTeam = async (id: string) => (await db`select from teams where id = ${id}`).length === 1
  await db`insert into audit_log (at, team_id, action, actor, network) values (${NOW}, ${teamId}, 'x', 'x', '')`
  for (const site of [one, two, other]) await sendHits(site)
  for (const site of [one, two]) await addMoney(site)
  await db`update teams set deleted_at = ${NOW} where id = any(${[teamId]})`
  await markDeleted(one)
  await markDeleted(two)

  // Killed after each possible number of statements (in steps of five), it continues where it was.
  for (let calls = 1; await hasTeam(teamId); calls += 5) {
    const at = later(20)
    await purgeDeletedSites(dyingAfter(db, calls), at).catch(error => expect(error.message).toBe('killed'))
    if (await hasTeam(teamId)) await refresh(at)
    else break
  }
  for (const site of [one, two]) expect(await remains(site)).toEqual([])
  expect(await db`select from sites where site_no in (${one.siteNo}, ${two.siteNo})`).toEqual([])
  expect(await db`select from audit_log where team_id = ${teamId}`).toEqual([])
  expect(await hasTeam(otherTeam)).toBe(true)
  expect((await remains(other)).length).toBeGreaterThan(0)
})

test('purge: a deleted team without sites goes at once; the row of a purged site stays, without its domain', async () => {
  const site = await createTestSite(db)
  await markDeleted(site)
  const [gone, kept] = await db<{ id: string }[]>`
    insert into teams (name, plan, deleted_at) values ('a', 'active', ${NOW}), ('b', 'active', null) returning id`
  await purgeDeletedSites(db, later(20))
  const left = await db<{ id: string }[]>`select id from teams where id in (${gone!.id}, ${kept!.id})`
  expect(left).toEqual([{ id: kept!.id }])
  const [row] = await db`select domain, purged_at as "purgedAt" from sites where site_no = ${site.siteNo}`
  expect(row).toEqual({ domain: '', purgedAt: later(20) })
})

test('purge: segments with more rows than the decompression limit are deleted', async () => {
  // The server's default is 100,000 rows.
  const limited = connectDb(database.url, {
    max: 1,
    name: 'test',
    settings: { 'timescaledb.max_tuples_decompressed_per_dml_transaction': '1000' },
  })
  const ROWS = 3_000
  const site = await createTestSite(db)
  const bystander = await createTestSite(db)
  const start = Date.UTC(2025, 0, 6)
  for (const { siteNo } of [site, bystander]) {
    await db`
      insert into events (
        site_no, at, id, type, name, visitor_no, hostname, path, url, title, entry_path, referrer, source, channel,
        utm_source, utm_medium, utm_campaign, utm_content, utm_term, browser, os, size, country, region, city
      )
      select ${siteNo}, ${new Date(start)}::timestamptz + i * interval '2 seconds', gen_random_uuid(), 'pageview', '', i,
        '', '/', '/', '', '/', '', '', '', '', '', '', '', '', '', '', '', '', '', ''
      from generate_series(0, ${ROWS - 1}::int) as i`
  }
  await refresh()
  await compressSettledChunks(db, NOW)
  await markDeleted(site)
  const left = async ({ siteNo }: TestSite) =>
    (await db`select count(*)::int as count from events where site_no = ${siteNo}`)[0]!.count
  const [limit] = await limited`show timescaledb.max_tuples_decompressed_per_dml_transaction`
  expect(Object.values(limit!)).toEqual(['1000'])
  for (let run = 0; run < 30 && (await left(site)) > 0; run++) await purgeDeletedSites(limited, NOW)
  await limited.end()
  expect(await left(site)).toBe(0)
  expect(await left(bystander)).toBe(ROWS)
})

test('purge: it waits while many dirty buckets wait for their refresh', { tags: ['full'] }, async () => {
  const site = await createTestSite(db)
  await sendHits(site)
  await markDeleted(site)
  await db`insert into dirty_buckets (aggregate, site_no, bucket)
    select 'hits', 0, timestamptz '2020-01-01' + i * interval '15 minutes' from generate_series(1, 5001) as i`
  await purgeDeletedSites(db, NOW)
  expect(await remains(site)).toContain('events')
  await db`delete from dirty_buckets where site_no = 0`
  await purgeRows(site, NOW)
  expect(await remains(site)).not.toContain('events')
})
