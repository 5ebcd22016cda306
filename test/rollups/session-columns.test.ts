import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { cacheOf } from '../../src/rollups/daily/rollup-cache.ts'
import { decodeBlock, encodeBlock, toSteps } from '../../src/rollups/session-columns/codec.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite } from '../support/sites.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2026, 2, 1)

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

test.each([
  [[0, 255], 1],
  [[0, 256], 2],
  [[65_536, 1], 4],
  [[2 ** 32, 7], 8],
  [[2 ** 54, 0], 8],
  [[], 1],
])('session columns: numbers %j take %i bytes each, and come back', (numbers, bytes) => {
  const { columns, texts } = decodeBlock(
    encodeBlock({ one: [1], numbers, other: [9] }, ['', 'ü\u0000"', '\ud800']),
  )
  expect([...columns.numbers!]).toEqual(numbers)
  expect(columns.numbers!.BYTES_PER_ELEMENT).toBe(bytes)
  expect([...columns.other!]).toEqual([9])
  expect(texts).toEqual(['', 'ü\u0000"', '\ud800'])
})

test.each([-1, 1.5, Number.NaN])('session columns: %d is no number of a column', number => {
  expect(() => encodeBlock({ numbers: [number] })).toThrow('cannot hold')
})

test('session columns: session numbers beyond 2^32 come back from their steps', () => {
  const numbers = [3, 2 ** 33, 2 ** 33 + 1]
  const { columns } = decodeBlock(encodeBlock({ steps: toSteps(numbers) }))
  let sum = 0
  expect(Array.from(columns.steps!, step => (sum += step))).toEqual(numbers)
})

/** A site with a session on some days of March. */
async function siteWithDays(days: readonly number[]) {
  const site = await createTestSite(db, { timezone: 'UTC' })
  await storeHits(
    db,
    0,
    days.map(day => enrichedHit(site, FIRST + day * DAY + 3_600_000)),
  )
  return site
}

const window = { start: FIRST, end: FIRST + 20 * DAY }
const now = new Date(FIRST + 30 * DAY)

test('session columns: quiet days have none to store, also when they are rolled up for other dimensions', async () => {
  const { siteNo } = await siteWithDays([0, 2, 4, 6, 8, 10, 12, 14])
  await rollUpAll(db, now)
  const cover = async () => (await tasks.coverSessionColumns(db, { siteNo, windows: [window] }))?.[0]
  const before = await cover()
  expect(before?.gaps).toEqual([])
  const datesOf = (days: { start: number; end: number }[]) => days.map(({ start, end }) => [start, end])
  await db`update daily_rollups set dimensions_hash = 'other', session_parts = null where site_no = ${siteNo}`
  expect(await cover()).toBeUndefined()
  await rollUpAll(db, now)
  const after = await cover()
  expect(after?.gaps).toEqual([])
  expect(datesOf(after!.days)).toEqual(datesOf(before!.days))
})

test('session columns: rows answer when more than four parts of the range have none', async () => {
  const { siteNo } = await siteWithDays([...Array(16).keys()])
  await rollUpAll(db, now)
  const forget = (day: number) =>
    db`update daily_rollups set session_parts = null where site_no = ${siteNo} and starts_at = ${new Date(FIRST + day * DAY)}`
  const cover = () => tasks.coverSessionColumns(db, { siteNo, windows: [window] })
  for (const day of [1, 3, 5, 7]) await forget(day)
  expect((await cover())?.[0]?.gaps).toHaveLength(4)
  await forget(9)
  expect(await cover()).toBeNull()
})

test('session columns: days that changed since they were chosen are not counted', async () => {
  const site = await siteWithDays([0, 1, 2])
  const { siteNo } = site
  await rollUpAll(db, now)
  const choose = async () => (await tasks.coverSessionColumns(db, { siteNo, windows: [window] }))![0]!.days
  let days = await choose()
  const count = () => tasks.countFilteredTraffic(db, { siteNo, filters: [], windows: [{ days, rows: [] }] })
  expect((await count())?.[0]).toMatchObject({ sessions: 3, visitors: 3, pageviews: 3 })
  await storeHits(db, 0, [enrichedHit(site, FIRST + DAY + 7_200_000)])
  expect(await count()).toBeNull()
  await rollUpAll(db, now)
  // Columns that were written again may leave out other sessions, which a reader has counted from rows.
  expect(await count()).toBeNull()
  days = await choose()
  expect((await count())?.[0]).toMatchObject({ sessions: 4, visitors: 4, pageviews: 4 })
  await db`delete from daily_session_columns where site_no = ${siteNo}`
  cacheOf(db).blocks.clear()
  expect(await count()).toBeNull()
})

test('session columns: blocks that the cache loses during a read are still counted', async () => {
  const { siteNo } = await siteWithDays([...Array(12).keys()])
  await rollUpAll(db, now)
  const days = (await tasks.coverSessionColumns(db, { siteNo, windows: [window] }))![0]!.days
  const count = () => tasks.countFilteredTraffic(db, { siteNo, filters: [], windows: [{ days, rows: [] }] })
  const expected = await count()
  const running = [count(), count()]
  for (let turn = 0; turn < 20; turn++) {
    cacheOf(db).blocks.clear()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(running)).toEqual([expected, expected])
  expect(await count()).toEqual(expected)
})
