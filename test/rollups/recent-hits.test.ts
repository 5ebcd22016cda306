import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { EVENT_TYPES, type EventType } from '../../src/dimensions/event-types.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { deleteServiceEvents, writeServiceEvents } from '../../src/revenue/ledger/service-events.ts'
import { refreshAggregate } from '../../src/rollups/aggregates.ts'
import { readRecentHits } from '../../src/rollups/recent/read-recent-hits.ts'
import { countRecentHits } from '../../src/rollups/recent/recent-hits.ts'
import { countTraffic } from '../../src/rollups/traffic.ts'
import { readLog } from '../../src/stats/event-log/log-pages.ts'
import { countTypes } from '../../src/stats/reports/events-timeseries.ts'
import type { Range } from '../../src/time/range.ts'
import { testDatabase } from '../support/database.ts'
import { dyingAfter } from '../support/dying-after.ts'
import { enrichedHit } from '../support/hits.ts'
import { keptCounter } from '../support/kept-counter.ts'
import { randomHitStream } from '../support/random-hits.ts'
import { recountSessions } from '../support/recount.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { stalling } from '../support/stalling.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const MINUTE = 60_000
const BUCKET = 15 * MINUTE
const DAY = 24 * 60 * MINUTE
const START = Date.UTC(2026, 2, 10)
/** Every site with hits. */
const ANY = { busyHits: 1 }

let db: Db
beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

async function begin(): Promise<TestSite> {
  await db`delete from recent_hits`
  await db`delete from dirty_buckets where aggregate = 'recent_hits'`
  await db`update watermarks set watermark = '-infinity' where aggregate = 'recent_hits'`
  await db`update session_count_span set counted_from = '2000-01-01'`
  return createTestSite(db)
}

/** Stores a pageview at each time. */
const store = (site: TestSite, ats: number[], partition = 0) =>
  storeHits(
    db,
    partition,
    ats.map(at => enrichedHit(site, at)),
  )

/** Stores a pageview at each of these minutes after a time. */
const storeMinutes = (site: TestSite, from: number, minutes: number[], partition = 0) =>
  store(
    site,
    minutes.map(minute => from + minute * MINUTE),
    partition,
  )

const count = (at: number, busyHits = 1) => countRecentHits(db, new Date(at), { busyHits })

/** Reads the two hours before a time, and compares them with the rows. @returns how many buckets with hits have counts that readers take */
async function expectSameAsRows(site: TestSite, now: number): Promise<number> {
  const { siteNo } = site
  const end = Math.floor(now / BUCKET) * BUCKET + BUCKET
  const starts = Array.from({ length: 8 }, (_, index) => end - (8 - index) * BUCKET)
  const windows = starts.map(start => ({ start, end: start + BUCKET }))
  const traffic = await countTraffic(db, { siteNo, windows, parts: ['hits'] })
  for (const [index, { start, end: to }] of windows.entries()) {
    const [rows] = await db<{ pageviews: number; customEvents: number; visitors: number }[]>`
      select
        (count(*) filter (where type = 'pageview'))::int as pageviews,
        (count(*) filter (where type = 'event' and not is_service))::int as "customEvents",
        (count(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service))::int as visitors
      from events
      where site_no = ${siteNo} and at >= ${new Date(start)} and at < ${new Date(to)}`
    expect(traffic[index]).toMatchObject(rows!)
  }
  await expectSameLog(site, now)
  const recent = await readRecentHits(db, [{ siteNo, start: windows[0]!.start, end }])
  return recent.filter(({ visitors }) => visitors.length > 0).length
}

/** Reads the event log of two days, and compares its series by hour and its first page with the rows. */
async function expectSameLog({ siteNo }: TestSite, now: number): Promise<void> {
  const end = new Date(Math.ceil((now + 1) / DAY) * DAY)
  const span = { start: new Date(end.getTime() - 2 * DAY), end }
  const resolved = { siteNo, ...span, filters: { dimensions: [], property: undefined }, goal: undefined }
  const dates = { from: dateOf(span.start), to: dateOf(end, -1) }
  const range: Range = { ...span, ...dates, zone: 'UTC', days: 2, group: 'hour' }
  const types = [...EVENT_TYPES]
  const { series } = await countTypes({ reads: db, counter: keptCounter(db) }, resolved, range, { types })
  const rows = await db<{ type: EventType; hour: number; hits: number }[]>`
    select type, floor(extract(epoch from at - ${span.start}::timestamptz) / 3600)::int as hour, count(*)::int as hits
    from events
    where site_no = ${siteNo} and at >= ${span.start} and at < ${end} and type = any(${types})
    group by 1, 2`
  const expected: typeof series = {}
  for (const { type, hour, hits } of rows) {
    expected[type] ??= Array.from({ length: 48 }, () => 0)
    expected[type][hour] = hits
  }
  expect(series).toEqual(expected)
  const page = await readLog(
    { reads: db, counter: keptCounter(db) },
    resolved,
    { page: 2, per_page: 3 },
    { types },
  )
  const ids = await db<{ id: string }[]>`
    select id from events
    where site_no = ${siteNo} and at >= ${span.start} and at < ${end} and type = any(${types})
    order by at desc, id desc`
  expect(page.total).toBe(ids.length)
  expect(page.rows.map(({ id }) => id)).toEqual(ids.slice(3, 6).map(({ id }) => id))
}

const typesOf = async ({ siteNo }: TestSite) => {
  const rows = await db<{ types: Record<string, number> | null }[]>`
    select types from recent_hits where site_no = ${siteNo} and pageviews > 0 order by bucket`
  return rows.map(({ types }) => types)
}

const dateOf = (at: Date, days = 0) => new Date(at.getTime() + days * DAY).toISOString().slice(0, 10)

const marks = async ({ siteNo }: TestSite) => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from dirty_buckets where aggregate = 'recent_hits' and site_no = ${siteNo}`
  return row!.count
}

test.each(sweep([1, 2, 4]))('recent hits: reads equal the rows, with late hits (stream %i)', async seed => {
  const site = await begin()
  const stream = randomHitStream(seed)
  const batches = withoutRepeatedDrops(stream.late, recountSessions(stream.late).dropped)
  let [latest, counted, marked] = [0, 0, 0]
  await storeVisits(db, site, batches, async now => {
    latest = Math.max(latest, now)
    counted += await expectSameAsRows(site, latest)
    marked += await marks(site)
    await countRecentHits(db, new Date(latest + MINUTE), ANY)
    counted += await expectSameAsRows(site, latest)
    expect(await marks(site)).toBe(0)
  })
  expect(counted).toBeGreaterThan(0)
  expect(marked).toBeGreaterThan(0)
})

test('totals count each hit once while an aggregate is refreshed to an earlier time than its watermark, or never was', async () => {
  const site = await begin()
  const now = START + 3 * 60 * MINUTE
  await storeMinutes(
    site,
    now,
    Array.from({ length: 60 }, (_, index) => -120 + index * 2),
  )
  await refreshAggregate(db, 'hits', new Date(now))
  await expectSameAsRows(site, now - 1)
  // As when the process that refreshes ended after it had moved the watermark.
  const [before] = await db<{ at: Date }[]>`
    select refreshed_to as at from watermarks where aggregate = 'hits'`
  const ahead = new Date(before!.at.getTime() + 30 * MINUTE)
  await db`update watermarks set watermark = ${ahead} where aggregate = 'hits'`
  await storeMinutes(site, now, [-90, -75, -50, -40, -35, -20, -1])
  const [marked] = await db<{ before: number; since: number }[]>`
    select
      (count(*) filter (where bucket < refreshed_to))::int as before,
      (count(*) filter (where bucket >= refreshed_to))::int as since
    from dirty_buckets
    join watermarks using (aggregate)
    where aggregate = 'hits' and site_no = ${site.siteNo}`
  expect(marked).toEqual({ before: 2, since: 2 })
  await expectSameAsRows(site, now - 1)
  await db`update watermarks set refreshed_to = '-infinity' where aggregate = 'hits'`
  await expectSameAsRows(site, now - 1)
  await db`update watermarks set refreshed_to = ${before!.at} where aggregate = 'hits'`
  await refreshAggregate(db, 'hits', new Date(now + BUCKET))
  await expectSameAsRows(site, now - 1)
})

test.each([
  ['a bucket that was complete', true],
  ['a bucket that nobody has counted', false],
])('recent hits: a process that stalled while it counts %s writes nothing', async (_, isCounted) => {
  const site = await begin()
  await storeMinutes(site, START, [1, 20])
  const now = new Date(START + 20 * MINUTE + 30_000)
  // The newest bucket is counted first.
  const bucket = isCounted ? START : START + BUCKET
  const hitOf = (visitor: number) =>
    enrichedHit(site, bucket + visitor, { visitorId: `00000000-0000-4000-8000-00000000000${visitor}` })
  if (isCounted) {
    await countRecentHits(db, now, ANY)
    await storeHits(db, 1, [hitOf(1)])
  }
  const slow = stalling(db)
  const counting = countRecentHits(slow.db, now, ANY)
  await slow.stalled
  await storeHits(db, 1, [hitOf(2)])
  expect(await marks(site)).toBe(1)
  await countRecentHits(db, new Date(now.getTime() + 10_000), ANY)
  expect(await marks(site)).toBe(0)
  slow.resume()
  await counting
  expect(await marks(site)).toBe(0)
  await expectSameAsRows(site, now.getTime())
})

test('recent hits stay before hits that wait, and are left alone when the clock was set back', async () => {
  const site = await begin()
  await store(site, [START])
  await countRecentHits(db, new Date(START + MINUTE), { ...ANY, oldestWaiting: START + 30_000 })
  const countedTo = async () =>
    (await readRecentHits(db, [{ siteNo: site.siteNo, start: START, end: START + BUCKET }]))[0]?.countedTo
  expect(await countedTo()).toBe(START + 20_000)
  await countRecentHits(db, new Date(START), ANY)
  expect(await countedTo()).toBe(START + 20_000)
})

test('recent hits: quiet sites have none and no marks, and those of a busy one go after an hour and a half', async () => {
  const site = await begin()
  await store(site, [START])
  await count(START + 30_000, 3)
  await store(site, [START + 1], 1)
  expect(await marks(site)).toBe(0)
  // Without busy sites, the watermark stays.
  const raised = await db`select from watermarks where aggregate = 'recent_hits' and isfinite(watermark)`
  expect(raised).toHaveLength(0)
  expect(await expectSameAsRows(site, START)).toBe(0)
  await count(START + 31_000, 2)
  expect(await expectSameAsRows(site, START)).toBe(1)
  await count(START + 2 * 60 * MINUTE)
  expect(await expectSameAsRows(site, START)).toBe(0)
})

test('recent hits begin with session counts, when no process of an earlier version stores any more', async () => {
  const site = await begin()
  await db`update session_count_span set counted_from = ${new Date(START + MINUTE)}`
  await store(site, [START])
  await count(START + MINUTE - 1)
  expect(await expectSameAsRows(site, START)).toBe(0)
  await count(START + MINUTE)
  expect(await expectSameAsRows(site, START)).toBe(1)
})

test('recent hits: counts that are too old go before the watermark rises past what late hits mark', {
  tags: ['full'],
}, async () => {
  const site = await begin()
  await storeMinutes(site, START, [0, 240])
  await count(START + MINUTE)
  expect(await expectSameAsRows(site, START)).toBe(1)
  // Dies in each of the statements before it counts.
  for (let calls = 0; calls < 6; calls++) {
    const dying = countRecentHits(dyingAfter(db, calls), new Date(START + 4 * 60 * MINUTE + 30_000), ANY)
    await dying.catch(error => expect(error.message).toBe('killed'))
    await store(site, [START + 1 + calls], 1)
    await expectSameAsRows(site, START)
  }
})

test('recent hits: counting while all partitions store changes no number', async () => {
  const site = await begin()
  const now = START + 40 * MINUTE
  let isStoring = true
  const storing = Promise.all(
    [0, 1, 2, 3].map(async partition => {
      for (let batch = 0; batch < 15; batch++) {
        // Before and after the watermark.
        const at = (hit: number) => now - 40_000 + ((batch * 7 + hit * 13) % 40) * 1_000
        await store(site, [0, 1, 2, 3, 4].map(at), partition)
      }
    }),
  ).finally(() => {
    isStoring = false
  })
  for (let round = 0; isStoring; round++) await countRecentHits(db, new Date(now - 30_000 + round * 10), ANY)
  await storing
  await expectSameAsRows(site, now)
  await count(now)
  expect(await expectSameAsRows(site, now)).toBe(1)
})

test('recent hits: after a refresh, the log takes earlier hits from the aggregate, marked ones from rows, and the last from counts', async () => {
  const site = await begin()
  const day = START + 30 * DAY
  await storeMinutes(site, day, [0, 20, 50, 100, 130, 140])
  const now = day + 141 * MINUTE
  await count(now)
  await refreshAggregate(db, 'hits', new Date(now))
  await expectSameLog(site, now)
  // One before what is refreshed, one in a bucket with counts, one after them.
  await storeMinutes(site, day, [21, 101, 141], 1)
  await expectSameLog(site, now)
  await count(now + MINUTE)
  await expectSameLog(site, now)
})

test('recent hits: the log has what the service writes and deletes among hits that are counted', async () => {
  const site = await begin()
  const day = START + 31 * DAY
  // The site is busy at each of the three rounds.
  await storeMinutes(site, day, [1, 20, 29.5, 30.5, 31.5])
  const now = day + 30 * MINUTE
  await count(now)
  const payment = { name: 'payment', at: new Date(day + 20 * MINUTE), key: 'sale-1' } as const
  await db.begin(tx => writeServiceEvents(tx, site, [payment]))
  await expectSameLog(site, now)
  await count(now + MINUTE)
  await expectSameLog(site, now)
  expect(await typesOf(site)).toEqual([{ pageview: 1 }, { pageview: 2, event: 1 }, { pageview: 1 }])
  await db.begin(tx => deleteServiceEvents(tx, site, [payment]))
  await expectSameLog(site, now)
  await count(now + 2 * MINUTE)
  await expectSameLog(site, now)
  expect(await typesOf(site)).toEqual([{ pageview: 1 }, { pageview: 2 }, { pageview: 2 }])
})

test('recent hits: types that a process without types has counted past are not used', async () => {
  const site = await begin()
  const day = START + 32 * DAY
  await storeMinutes(site, day, [1, 2, 3])
  await count(day + 2.5 * MINUTE)
  expect(await typesOf(site)).toEqual([{ pageview: 2 }])
  // What it does to the row.
  await db`
    update recent_hits
    set counted_to = ${new Date(day + 4 * MINUTE)}, pageviews = 3, version = version + 1000000
    where site_no = ${site.siteNo} and bucket = ${new Date(day)}`
  await expectSameLog(site, day + 5 * MINUTE)
  await storeMinutes(site, day, [6])
  await count(day + 7 * MINUTE)
  expect(await typesOf(site)).toEqual([null])
  await expectSameLog(site, day + 7 * MINUTE)
})
