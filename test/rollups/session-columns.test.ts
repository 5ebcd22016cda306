import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { cacheOf } from '../../src/rollups/daily/rollup-cache.ts'
import { decodeBlock, encodeBlock, toSteps } from '../../src/rollups/session-columns/codec.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite } from '../support/sites.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2026, 2, 1)

let db: Db

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

test.each([
  [[0, 255], 1],
  [[0, 256], 2],
  [[65_536, 1], 4],
  [[2 ** 32, 7], 8],
  [[2 ** 54, 0], 8],
  [[], 1],
])('session columns: numbers %j take %i bytes each, and come back', (numbers, bytes) => {
  const written = ['', 'ü\u0000"', '\ud800']
  const { columns, texts } = decodeBlock(encodeBlock({ one: [1], numbers, other: [9] }, written))
  expect([...columns.numbers!]).toEqual(numbers)
  expect(columns.numbers!.BYTES_PER_ELEMENT).toBe(bytes)
  expect([...columns.other!]).toEqual([9])
  expect(texts).toEqual(written)
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

/** A site with a session on some days of March, rolled up, and what reads its columns. */
async function siteWithDays(days: readonly number[]) {
  const site = await createTestSite(db, { timezone: 'UTC' })
  const hits = days.map(day => enrichedHit(site, FIRST + day * DAY + 3_600_000))
  await storeHits(db, 0, hits)
  await rollUpAll(db, now)
  const { siteNo } = site
  const cover = async () => (await tasks.coverSessionColumns(db, { siteNo, windows: [window] }))?.[0]
  const choose = async () => (await cover())!.days
  const count = (days: Awaited<ReturnType<typeof choose>>) =>
    tasks.countFilteredTraffic(db, { siteNo, filters: [], windows: [{ days, rows: [] }] })
  return { site, siteNo, cover, choose, count }
}

const window = { start: FIRST, end: FIRST + 20 * DAY }
const now = new Date(FIRST + 30 * DAY)

test('session columns: quiet days have none to store, also when they are rolled up for other dimensions', {
  tags: ['full'],
}, async () => {
  const { siteNo, cover } = await siteWithDays([0, 2, 4, 6, 8, 10, 12, 14])
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
  const { siteNo, cover } = await siteWithDays([...Array(16).keys()])
  const forget = (day: number) =>
    db`update daily_rollups set session_parts = null where site_no = ${siteNo} and starts_at = ${new Date(FIRST + day * DAY)}`
  for (const day of [1, 3, 5, 7]) await forget(day)
  expect((await cover())?.gaps).toHaveLength(4)
  await forget(9)
  expect(await cover()).toBeUndefined()
})

test('session columns: days that changed since they were chosen are not counted', async () => {
  const { site, siteNo, choose, count } = await siteWithDays([0, 1, 2])
  const days = await choose()
  expect((await count(days))?.[0]).toMatchObject({ sessions: 3, visitors: 3, pageviews: 3 })
  await storeHits(db, 0, [enrichedHit(site, FIRST + DAY + 7_200_000)])
  expect(await count(days)).toBeNull()
  await rollUpAll(db, now)
  // Columns that were written again may leave out other sessions, which a reader has counted from rows.
  expect(await count(days)).toBeNull()
  const again = await choose()
  expect((await count(again))?.[0]).toMatchObject({ sessions: 4, visitors: 4, pageviews: 4 })
  await db`delete from daily_session_columns where site_no = ${siteNo}`
  cacheOf(db).blocks.clear()
  expect(await count(again)).toBeNull()
})

test('session columns: blocks that the cache loses during a read are still counted', async () => {
  const { choose, count } = await siteWithDays([...Array(12).keys()])
  const days = await choose()
  const expected = await count(days)
  const running = [count(days), count(days)]
  for (let turn = 0; turn < 20; turn++) {
    cacheOf(db).blocks.clear()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(running)).toEqual([expected, expected])
  expect(await count(days)).toEqual(expected)
})
