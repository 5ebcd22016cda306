import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** In Berlin, the clocks are set forward on 29 March at 01:00 UTC; local days begin at 23:00 UTC, from then on at 22:00. */
const BEFORE = Date.UTC(2026, 2, 27, 23)
const CHANGE = BEFORE + 24 * HOUR
const AFTER = CHANGE + 23 * HOUR
const END = AFTER + 24 * HOUR

let db: Db
let site: TestSite
let errorId: string

const visitorId = (visitor: number) => `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`
const pageview = (visitor: number, at: number, title: string) =>
  enrichedHit(site, at, { visitorId: visitorId(visitor), title })
const thrown = { type: 'error', name: 'TypeError', error: { message: 'x is undefined' } } as const
const error = (visitor: number, at: number) =>
  enrichedHit(site, at, { visitorId: visitorId(visitor), ...thrown })

const TWICE = BEFORE + HOUR + 1
const ERRORS = [BEFORE, TWICE, TWICE, CHANGE - 1, CHANGE, AFTER - 1, AFTER, AFTER + 5 * HOUR]

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  site = await createTestSite(db, { timezone: 'Europe/Berlin' })
  await storeHits(db, 0, [
    pageview(1, BEFORE, 'Home'),
    // Begins on one day and sees the title on the next.
    pageview(4, CHANGE - MINUTE, 'Docs'),
    pageview(4, CHANGE + MINUTE, 'Home'),
    pageview(5, AFTER - 15 * MINUTE, 'Home'),
    pageview(6, AFTER, 'Home'),
    ...ERRORS.map((at, index) => error(100 + index, at)),
  ])
  const [group] = await db`select error_id as id from error_groups where site_no = ${site.siteNo}`
  errorId = group!.id
  return () => database.close()
})

const DAYS = [BEFORE, CHANGE, AFTER]

const series = (dimension: 'title' | 'error', value: string) => {
  const window = { start: BEFORE, end: END }
  return tasks.countValueTimes(db, { siteNo: site.siteNo, dimension, value, window, bounds: DAYS })
}

const page = (limit: number, offset: number, window = { start: BEFORE, end: END }) => {
  const asked = { siteNo: site.siteNo, dimension: 'error', value: errorId } as const
  return tasks.locateValueTimes(db, { ...asked, window, limit, offset })
}

const NEVER = '00000000-0000-4000-8000-000000000000'

async function expectEnds(): Promise<void> {
  const found = await tasks.findErrorEnds(db, { siteNo: site.siteNo, ids: [errorId, NEVER] })
  expect([...found]).toEqual([[errorId, { first: BEFORE, last: AFTER + 5 * HOUR }]])
}

async function expectTimes(): Promise<void> {
  await expectEnds()
  expect(await series('title', 'Home')).toEqual([2, 1, 1])
  expect(await series('title', 'Never')).toEqual([0, 0, 0])
  expect(await series('error', errorId)).toEqual([4, 2, 2])
  expect(await page(2, 0)).toEqual({ total: 8, times: [AFTER + 5 * HOUR, AFTER], skipped: 0 })
  // The page begins between two occurrences of the same millisecond.
  expect(await page(2, 6)).toEqual({ total: 8, times: [TWICE, BEFORE], skipped: 1 })
  expect(await page(5, 8)).toEqual({ total: 8, times: [], skipped: 0 })
  const times = [AFTER - 1, CHANGE]
  expect(await page(9, 0, { start: CHANGE, end: AFTER })).toEqual({ total: 2, times, skipped: 0 })
}

test('times: of days without a rollup they are left to rows once these are many', async () => {
  expect(await series('title', 'Home')).toBeNull()
  expect(await page(1, 0)).toBeNull()
  await expectEnds()
})

test('times: series and pages are the same while rollups grow and when they are final', async () => {
  for (const now of [BEFORE + 2 * HOUR, CHANGE + MINUTE, CHANGE + 20 * MINUTE, AFTER + HOUR, END + HOUR]) {
    await rollUpAll(db, new Date(now))
    if (now > AFTER) await expectTimes()
  }
  await rollUpAll(db, new Date(END + 48 * HOUR))
  await expectTimes()
  // Rows are not needed any more.
  const stored = await db`
    select from daily_value_rollups
    where site_no = ${site.siteNo} and times is not null and dimension not in ('title', 'error')`
  expect(stored).toHaveLength(0)
})

test('times: a day with too many values is left to rows', async () => {
  await db`delete from daily_rollups where site_no = ${site.siteNo}`
  await db`delete from rollup_spans where site_no = ${site.siteNo}`
  await rollUpAll(db, new Date(END + 48 * HOUR), { values: 1, events: 1 })
  expect(await series('title', 'Home')).toBeNull()
  expect(await series('error', errorId)).toEqual([4, 2, 2])
  await db`
    update daily_value_rollups set counts = null, visitors = null, times_index = null, times = null
    where site_no = ${site.siteNo} and dimension = 'error'`
  expect(await series('error', errorId)).toBeNull()
  await expectEnds()
})

test('times: of days without details they stay; of those that were rolled up before there were times, the day does', async () => {
  await db`delete from daily_rollups where site_no = ${site.siteNo}`
  await db`delete from rollup_spans where site_no = ${site.siteNo}`
  await rollUpAll(db, new Date(END + 48 * HOUR))
  await db`update sites set details_from = ${new Date(AFTER)} where site_no = ${site.siteNo}`
  await db`delete from events where site_no = ${site.siteNo} and at < ${new Date(AFTER)}`
  await expectEnds()
  const late = error(1, AFTER + 20 * HOUR)
  await storeHits(db, 0, [late])
  const ends = () => tasks.findErrorEnds(db, { siteNo: site.siteNo, ids: [errorId] })
  expect((await ends()).get(errorId)).toEqual({ first: BEFORE, last: AFTER + 20 * HOUR })
  await db`
    update daily_value_rollups set times_index = null, times = null
    where site_no = ${site.siteNo} and starts_at < ${new Date(AFTER)}`
  await db`delete from daily_rollups where site_no = ${site.siteNo} and starts_at = ${new Date(BEFORE)}`
  expect((await ends()).get(errorId)).toEqual({ first: CHANGE, last: AFTER + 20 * HOUR })
})
