import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { makeHit } from '../../../src/ingestion/edge/accept.ts'
import { openGeo } from '../../../src/ingestion/edge/geo.ts'
import { readBody } from '../../../src/ingestion/edge/read-body.ts'
import { importHits } from '../../../src/ingestion/import/import-hits.ts'
import { enrich } from '../../../src/ingestion/stages/index.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { createLease } from '../../../src/platform/redis/lease.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { createRefresher, keepRefreshed, REFRESHING } from '../../../src/storage/rollups/keep-refreshed.ts'
import { bareConfig } from '../../support/bare-config.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { deferred } from '../../support/deferred.ts'
import { lineOf, pageviewLine, streamOf } from '../../support/import-lines.ts'
import { silentLog } from '../../support/log.ts'
import { randomHitStream, timeOrderArrival } from '../../support/random-hits.ts'
import { recountSessions } from '../../support/recount.ts'
import { useRedis } from '../../support/redis.ts'
import { runs, sweep } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { expectSameOverviews, expectSameSessions } from '../../support/stored.ts'
import { expectNumberedVisits, sessionsOf as storedSessions } from '../storing.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
const NOON = Date.UTC(2026, 2, 10, 12)
const MIDNIGHT = Date.UTC(2026, 2, 11)
const NOW = new Date(Date.UTC(2026, 5, 1))
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

const VISITOR = '00000000-0000-4000-8000-00000000000a'

const STREAMS = runs(3)

const database = useDatabase(testDatabase)
const server = useRedis()
const geo = await openGeo(bareConfig().geoipDatabase)

interface Options {
  batchHits?: number
  chunkBytes?: number
}

const trackedSite = ({ siteNo, id }: TestSite) =>
  ({ siteNo, siteId: id, trackingMode: 'cookieless' }) as const

function importLines(
  site: TestSite,
  lines: string | string[],
  { batchHits = 100, chunkBytes }: Options = {},
) {
  const options = { db: database.db, geo, log: silentLog, now: () => NOW, batchHits }
  return importHits(trackedSite(site), streamOf(lines, chunkBytes), options)
}

const eventsOf = (site: TestSite) => database.db<
  { type: string; at: Date; id: string; country: string; visitor: string; sessionNo: number }[]
>`
  select type, at, events.id, country, visitors.id as visitor, session_no as "sessionNo"
  from events join visitors using (site_no, visitor_no)
  where events.site_no = ${site.siteNo}
  order by at, type, events.id`

const sessionsOf = (site: TestSite) => storedSessions(database.db, site)

describe.each(sweep([3, 1, 1_000]))('import in batches of %i', batchHits => {
  test('random hits equal their recount, also after a second import', async () => {
    for (let seed = 100 * batchHits; seed < 100 * batchHits + STREAMS; seed++) {
      const stream = randomHitStream(seed)
      const site = await createTestSite(database.db, { timezone: stream.zone })
      const recount = recountSessions(timeOrderArrival(stream.hits, 1))
      const lines = stream.hits.map(lineOf)
      const first = await importLines(site, lines, { batchHits })
      expect(first).toMatchObject({ rejected: [], rejected_total: 0 })
      expect(first.accepted + first.dropped).toBe(stream.hits.length)
      await expectSameSessions(database.db, site, recount)
      const before = await eventsOf(site)
      expect(before).toHaveLength(first.accepted)

      const otherBatches = { batchHits: 7, chunkBytes: 333 }
      expect(await importLines(site, lines, otherBatches)).toEqual(first)
      expect(await eventsOf(site)).toEqual(before)
      await expectSameSessions(database.db, site, recount)
      await expectSameOverviews(database.db, site, stream, recount)
    }
  })
})

test('import: equal lines are stored as separate hits, and a repeated import adds none', async () => {
  const site = await createTestSite(database.db)
  const line = pageviewLine(NOON, { ip: '203.0.113.7' })
  const lines = [line, line, pageviewLine(NOON + 1), line.replace(/$/, '  '), pageviewLine(NOON + 2)]
  expect(await importLines(site, lines)).toMatchObject({ accepted: 5 })
  expect(await importLines(site, lines)).toMatchObject({ accepted: 5 })
  expect(await eventsOf(site)).toHaveLength(5)
  expect(await importLines(site, [line, line, line, line])).toMatchObject({ accepted: 4 })
  expect(await eventsOf(site)).toHaveLength(6)
})

test('import: the same line is a different hit on another site', async () => {
  const [one, other] = [await createTestSite(database.db), await createTestSite(database.db)]
  const line = pageviewLine(NOON, { ip: '203.0.113.7', user_agent: CHROME })
  await importLines(one, line)
  const before = await eventsOf(one)
  await importLines(other, line)
  expect(await eventsOf(one)).toEqual(before)
  const [theirs] = await eventsOf(other)
  expect(theirs!.id).not.toBe(before[0]!.id)
  expect(theirs!.visitor).not.toBe(before[0]!.visitor)
})

test('import: a visitor without an id lasts a UTC day, and past midnight while the session continues', async () => {
  const site = await createTestSite(database.db)
  const from = { ip: '203.0.113.7', user_agent: CHROME }
  await importLines(site, [
    pageviewLine(MIDNIGHT - 10 * 60 * MINUTE, from),
    pageviewLine(MIDNIGHT - 10 * MINUTE, from),
    pageviewLine(MIDNIGHT - 5 * MINUTE, { ...from, ip: '203.0.113.8' }),
    pageviewLine(MIDNIGHT + 10 * MINUTE, from),
    pageviewLine(MIDNIGHT + 41 * MINUTE, from),
  ])
  const sessions = await sessionsOf(site)
  const of = (visitor: string) => sessions.filter(session => session.visitor === visitor).length
  expect(sessions.map(session => session.pageviews).sort()).toEqual([1, 1, 1, 2])
  expect(sessions.map(session => of(session.visitor)).sort()).toEqual([1, 1, 2, 2])
})

test('import: the address gives visitor and country and is not stored', async () => {
  const site = await createTestSite(database.db)
  await importLines(site, pageviewLine(NOON, { ip: '8.8.8.8', user_agent: CHROME }))
  const [event] = await eventsOf(site)
  expect(event!.country).toBe('US')
  for (const table of ['events', 'sessions', 'visitors', 'dead_letters', 'import_secrets']) {
    const rows = await database.db`select t::text as text from ${database.db(table)} t`
    for (const { text } of rows) expect(text).not.toContain('8.8.8.8')
  }
})

test('import: a location takes the place of what the address says', async () => {
  const site = await createTestSite(database.db)
  const location = { country: 'DE', region: 'DE-BE', city: 'Berlin' }
  await importLines(site, pageviewLine(NOON, { ip: '8.8.8.8', location }))
  await importLines(site, pageviewLine(NOON, { ip: '8.8.8.9', location: {} }))
  const places = await database.db`
    select country, region, city from events where site_no = ${site.siteNo} order by country desc`
  expect([...places]).toEqual([location, { country: '', region: '', city: '' }])
})

test('import: a key in the body is ignored, and the fields are those of the endpoint', async () => {
  const site = await createTestSite(database.db)
  const lines = [
    pageviewLine(NOON, {}, { key: 'nonsense' }),
    pageviewLine(NOON, { endpoint: 'event' }, { name: 'signup' }),
    pageviewLine(NOON, { endpoint: 'event' }, { name: 'outbound' }),
    pageviewLine(NOON, { endpoint: 'engage' }, { sd: 50, time: 1_000 }),
    pageviewLine(NOON, { endpoint: 'identify' }, { identifier: 'ada' }),
  ]
  expect(await importLines(site, lines)).toMatchObject({ accepted: 5, dropped: 0, rejected_total: 0 })
  const types = (await eventsOf(site)).map(event => event.type)
  expect(types).toEqual(['engagement', 'event', 'identify', 'outbound', 'pageview'])
})

test('import: reports of web vitals are stored once, those without a pageview are dropped', async () => {
  const site = await createTestSite(database.db)
  const report = (at: number, body: object) =>
    JSON.stringify({
      endpoint: 'web-vitals',
      timestamp: new Date(at).toISOString(),
      body: { hostname: 'example.com', visitor_id: VISITOR, url: { path: '/' }, lcp: 1_200, ...body },
    })
  const lines = [
    pageviewLine(NOON, {}, { visitor_id: VISITOR }),
    report(NOON + MINUTE, { id: '00000000-0000-4000-8000-000000000001' }),
    report(NOON + 2 * MINUTE, { id: '00000000-0000-4000-8000-000000000001', lcp: 1_300 }),
    report(NOON + 2 * MINUTE, { id: '00000000-0000-4000-8000-000000000002', url: { path: '/other' } }),
    report(NOON + 2 * MINUTE, { id: '00000000-0000-4000-8000-000000000003', lcp: -1 }),
  ]
  const first = await importLines(site, lines)
  expect(first).toMatchObject({ accepted: 3, dropped: 1, rejected_total: 1 })
  expect(first.rejected[0]!.error).toContain('lcp must be a number from 0 to 600000')
  expect(await importLines(site, lines)).toMatchObject({ accepted: 3, dropped: 1, rejected_total: 1 })
  const stored = await database.db`select lcp from web_vitals where site_no = ${site.siteNo}`
  expect([...stored]).toEqual([{ lcp: 1_300 }])
})

test('import: lines are dropped for the same reasons as live hits', async () => {
  const site = await createTestSite(database.db)
  const lines = [
    pageviewLine(NOON, { user_agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }),
    pageviewLine(NOON, { endpoint: 'event' }, { name: 'payment' }),
    pageviewLine(NOON, { endpoint: 'engage' }, { sd: 50, time: 1_000 }),
    pageviewLine(NOON + MINUTE),
    pageviewLine(NOON + MINUTE, { endpoint: 'engage' }, { url: { path: '/other' }, sd: 50, time: 1_000 }),
  ]
  const counts = { accepted: 1, dropped: 4, rejected_total: 0 }
  expect(await importLines(site, lines)).toMatchObject(counts)
  expect(await importLines(site, lines)).toMatchObject(counts)
})

test('import: engagement finds a pageview of the same second that comes later in the file', async () => {
  for (const batchHits of [1, 2, 3, 100]) {
    const site = await createTestSite(database.db)
    const visitor = { visitor_id: randomUUID() }
    const lines = [
      pageviewLine(NOON, { endpoint: 'engage' }, { ...visitor, sd: 50, time: 1_000 }),
      pageviewLine(NOON, {}, { ...visitor, url: { path: '/other' } }),
      pageviewLine(NOON, {}, visitor),
      pageviewLine(NOON + 1, {}, visitor),
    ]
    const counts = { accepted: 4, dropped: 0 }
    expect(await importLines(site, lines, { batchHits })).toMatchObject(counts)
    expect(await importLines(site, lines, { batchHits })).toMatchObject(counts)
  }
})

// Every wrong envelope: test/ingestion/import/envelope.test.ts.
test('import: invalid lines are rejected with number and reason, the others are stored', async () => {
  const site = await createTestSite(database.db)
  const good = pageviewLine(NOON)
  const rejected: [string, RegExp][] = [
    ['{"endpoint": "collect", ', /not valid JSON/],
    ['[1]', /the line must be a JSON object/],
    ['7', /the line must be a JSON object/],
    ['null', /the line must be a JSON object/],
    ['{"endpoint":"collect","timestamp":"2026-01-01T00:00:00Z","body":"x"}', /^body must be an object/],
    [pageviewLine(NOON, { timestamp: 'yesterday' }), /timestamp must be an ISO 8601 time/],
    [pageviewLine(NOON, {}, { hostname: undefined, url: 7 }), /^body\.hostname is required; body\.url must/],
    [pageviewLine(NOON, {}, { visitor_id: 'me' }), /body\.visitor_id must be a UUID/],
    [pageviewLine(NOON, {}, { title: 'x'.repeat(280_000) }), /longer than 272 KiB/],
  ]
  const lines = rejected.flatMap(([line]) => ['', good, line])
  const answer = await importLines(site, lines)
  expect(answer).toMatchObject({ accepted: rejected.length, dropped: 0, rejected_total: rejected.length })
  expect(answer.rejected.map(({ line }) => line)).toEqual(rejected.map((_, index) => 3 * index + 3))
  for (const [index, { error }] of answer.rejected.entries()) expect(error).toMatch(rejected[index]![1])
  expect(await importLines(site, lines)).toEqual(answer)
})

test('import: the first 1,000 rejected lines are listed, all are counted', async () => {
  const answer = await importLines(await createTestSite(database.db), Array(2_500).fill('nonsense'))
  expect(answer.rejected_total).toBe(2_500)
  expect(answer.rejected.map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1))
})

test('import: a line that cannot be stored is rejected with the reason', async () => {
  const site = await createTestSite(database.db)
  const long = 'x'.repeat(60)
  await database.db.unsafe(`alter table events add constraint no_long_titles check (title <> '${long}')`)
  const answer = await importLines(site, [
    pageviewLine(NOON),
    pageviewLine(NOON + 1, {}, { url: { path: '/', title: long } }),
    pageviewLine(NOON + 2),
  ])
  await database.db.unsafe('alter table events drop constraint no_long_titles')
  expect(answer).toMatchObject({ accepted: 2, dropped: 0, rejected_total: 1, rejected: [{ line: 2 }] })
  expect(answer.rejected[0]!.error).toContain('no_long_titles')
})

test('import: an empty file is accepted', async () => {
  const site = await createTestSite(database.db)
  const nothing = { accepted: 0, dropped: 0, rejected: [], rejected_total: 0 }
  expect(await importLines(site, '')).toEqual(nothing)
  expect(await importLines(site, '\uFEFF\r\n\n')).toEqual(nothing)
})

test('import: an import into a site that was deleted meanwhile ends with an error', async () => {
  const site = await createTestSite(database.db)
  await database.db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  await expect(importLines(site, pageviewLine(NOON))).rejects.toThrow(/deleted/)
  expect(await eventsOf(site)).toEqual([])
})

test('import: lines out of time order are stored like late hits', async () => {
  const site = await createTestSite(database.db)
  const visitor = { visitor_id: randomUUID() }
  const minutes = [0, 50, 40, 20, 90]
  const lines = minutes.map(minute => pageviewLine(NOON + minute * MINUTE, {}, visitor))
  await importLines(site, lines)
  // In one batch, hits are stored in time order.
  expect(await sessionsOf(site)).toMatchObject([{ pageviews: 4 }, { pageviews: 1 }])
  await importLines(site, lines, { batchHits: 1 })
  expect(await eventsOf(site)).toHaveLength(5)
})

test('import: two concurrent imports of a file, beside live hits of the same visitors, store each hit once', {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(database.db)
  const visitors = Array.from({ length: 6 }, () => randomUUID())
  const at = (index: number) => NOON + ((index * 7919) % 400) * 4.5 * MINUTE
  const lines = Array.from({ length: 400 }, (_, index) => ({ index, at: at(index) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ index, at }) => pageviewLine(at, {}, { visitor_id: visitors[index % 6] }))
  const live = Array.from({ length: 400 }, (_, index) => {
    const { body } = JSON.parse(pageviewLine(0, {}, { visitor_id: visitors[index % 6] }))
    const from = { sender: { address: '', userAgent: '' }, location: geo.locate(''), salts: undefined }
    const about = { id: randomUUID(), at: at(index) + 1, site: trackedSite(site) }
    return makeHit(readBody('collect', body), { ...from, ...about })
  })
  async function sendLive() {
    for (const { hit, partition } of live) await storeHits(database.db, partition, [enrich(hit)])
  }
  await Promise.all([
    importLines(site, lines, { batchHits: 5 }),
    importLines(site, lines, { batchHits: 9 }),
    sendLive(),
  ])
  const sessions = await sessionsOf(site)
  expect(sessions.reduce((sum, session) => sum + session.pageviews, 0)).toBe(800)
  expectNumberedVisits(sessions)
})

test('import: hits in compressed chunks are stored like any others, and nothing is left to refresh', {
  tags: ['full'],
}, async () => {
  const stream = randomHitStream(4242, { maxVisitors: 8, maxStepsPerVisitor: 15 })
  const site = await createTestSite(database.db, { timezone: stream.zone })
  const lines = stream.hits.map(lineOf)
  const recount = recountSessions(timeOrderArrival(stream.hits, 1))
  const importAndRefresh = async (some: string[]) => {
    await refreshAll(() => importLines(site, some, { batchHits: 10 }))
    expect(await database.db`select from dirty_buckets`).toHaveLength(0)
  }
  // Now everything is below the watermark.
  await refreshAll()
  await importAndRefresh(lines.slice(0, lines.length / 2))
  expect(await compressSettledChunks(database.db, NOW)).toBeGreaterThan(0)
  await importAndRefresh(lines)
  await expectSameSessions(database.db, site, recount)
  await expectSameOverviews(database.db, site, stream, recount)
  await compressSettledChunks(database.db, NOW)
  await expectSameOverviews(database.db, site, stream, recount)
})

test('import: what has ended is refreshed in rounds, also while another import goes on', async () => {
  const { db } = database
  const [site, other] = [await createTestSite(db), await createTestSite(db)]
  await refreshAll()
  const lease = { hold: async () => true, release: async () => {} }
  const now = () => new Date(NOW.getTime() + 2 * DAY)
  const refresher = createRefresher({ db, lease, log: silentLog, now }, 10)
  const daysOf = async ({ siteNo }: TestSite) =>
    (await db`select from daily_rollups where site_no = ${siteNo} and pageviews > 0`).length
  const isOver = deferred()
  const going = refresher.during(async onWritten => {
    await importLines(other, pageviewLine(NOON))
    onWritten({ from: NOON, to: NOON, until: NOON })
    await isOver.promise
  })
  await refresher.during(async onWritten => {
    await importLines(site, pageviewLine(NOON - 30 * DAY))
    onWritten({ from: NOON - 30 * DAY, to: NOON - 30 * DAY, until: Number.NEGATIVE_INFINITY })
  })
  const marksOf = async ({ siteNo }: TestSite) =>
    (await db`select from dirty_buckets where site_no = ${siteNo}`).length
  await expect.poll(() => marksOf(site)).toBe(0)
  expect(await daysOf(other)).toBe(0)
  isOver.resolve()
  await going
  await expect.poll(() => daysOf(other)).toBe(1)
  await expect.poll(() => daysOf(site)).toBe(1)
  await refresher.stop()
  expect([await marksOf(site), await marksOf(other)]).toEqual([0, 0])
})

test('import: a chunk that late hits have partly decompressed is compressed again', {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(database.db)
  const visitors = Array.from({ length: 1_200 }, () => randomUUID())
  const line = (visitor: string, index: number) =>
    pageviewLine(NOON + index * 1_000, {}, { visitor_id: visitor })
  await importLines(site, visitors.map(line), { batchHits: 1_000 })
  await refreshAll()
  await compressSettledChunks(database.db, NOW)
  // An earlier session changes the visit number of the compressed one.
  await importLines(site, pageviewLine(NOON - 60 * DAY, {}, { visitor_id: visitors[0] }))
  expect(await sessionsOf(site)).toContainEqual(expect.objectContaining({ visitCount: 2 }))
  await refreshAll()
  expect(await compressSettledChunks(database.db, NOW)).toBeGreaterThan(0)
  expect(await compressSettledChunks(database.db, NOW)).toBe(0)
  expect(await sessionsOf(site)).toHaveLength(1_201)
})

async function refreshAll(run: () => Promise<unknown> = async () => {}): Promise<void> {
  const lease = createLease(server.redis, REFRESHING)
  const now = () => new Date(NOW.getTime() + 2 * DAY)
  await keepRefreshed({ db: database.db, lease, log: silentLog, now }, run)
}
