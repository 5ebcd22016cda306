import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Tasks } from '../../src/rollups/protocol.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
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

let database: TestDatabase
let db: Db
let site: TestSite
let errorId: string

/** A session of a visitor of its own; the pages follow each other by a minute. */
const session = (visitor: number, at: number, ...titles: string[]) =>
  titles.map((title, index) =>
    enrichedHit(site, at + index * MINUTE, {
      visitorId: `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`,
      title,
    }),
  )
const error = (visitor: number, at: number) =>
  enrichedHit(site, at, {
    visitorId: `00000000-0000-4000-8000-${String(visitor).padStart(12, '0')}`,
    type: 'error',
    name: 'TypeError',
    error: { message: 'x is undefined' },
  })

const ERRORS = [
  BEFORE,
  BEFORE + HOUR + 1,
  BEFORE + HOUR + 1,
  CHANGE - 1,
  CHANGE,
  AFTER - 1,
  AFTER,
  AFTER + 5 * HOUR,
]

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  site = await createTestSite(db, { timezone: 'Europe/Berlin' })
  await storeHits(db, 0, [
    ...session(1, BEFORE, 'Home', 'Docs', 'Home'),
    ...session(2, BEFORE + 14 * MINUTE, 'Docs', 'Home'),
    ...session(3, BEFORE + 15 * MINUTE, 'Home'),
    // Begins on one day and sees the title on the next.
    ...session(4, CHANGE - MINUTE, 'Docs', 'Docs', 'Home'),
    ...session(5, AFTER - 15 * MINUTE, 'Home'),
    ...session(6, AFTER, 'Home'),
    ...ERRORS.map((at, index) => error(100 + index, at)),
  ])
  const [group] = await db<
    { id: string }[]
  >`select error_id as id from error_groups where site_no = ${site.siteNo}`
  errorId = group!.id
})
afterAll(() => database.close())

const hours = (from: number, to: number) => {
  const bounds: number[] = []
  for (let at = from; at < to; at += HOUR) bounds.push(at)
  return bounds
}
const DAYS = [BEFORE, CHANGE, AFTER]

const series = (dimension: 'title' | 'error', value: string, bounds: number[], end = END) =>
  tasks.countValueTimes(db, {
    siteNo: site.siteNo,
    dimension,
    value,
    window: { start: bounds[0]!, end },
    bounds,
  })

const page = (limit: number, offset: number, window = { start: BEFORE, end: END }) =>
  tasks.locateValueTimes(db, {
    siteNo: site.siteNo,
    dimension: 'error',
    value: errorId,
    window,
    limit,
    offset,
  })

const at = (bounds: number[], counts: Record<number, number>) => bounds.map(bound => counts[bound] ?? 0)

async function expectTimes(): Promise<void> {
  expect(await series('title', 'Home', DAYS)).toEqual([4, 1, 1])
  expect(await series('title', 'Docs', DAYS)).toEqual([3, 0, 0])
  expect(await series('title', 'Never', DAYS)).toEqual([0, 0, 0])
  expect(await series('error', errorId, DAYS)).toEqual([4, 2, 2])
  const bounds = hours(BEFORE, END)
  expect(await series('title', 'Home', bounds)).toEqual(
    at(bounds, { [BEFORE]: 3, [CHANGE - HOUR]: 1, [AFTER - HOUR]: 1, [AFTER]: 1 }),
  )
  // Parts of two days, as in the last 24 hours.
  const part = hours(CHANGE - HOUR, AFTER - HOUR)
  expect(await series('title', 'Home', part, AFTER - HOUR)).toEqual(at(part, { [CHANGE - HOUR]: 1 }))
  expect(await series('error', errorId, part, AFTER - HOUR)).toEqual(
    at(part, { [CHANGE - HOUR]: 1, [CHANGE]: 1 }),
  )
  expect(await page(2, 0)).toEqual({ total: 8, times: [AFTER + 5 * HOUR, AFTER], skipped: 0 })
  // The page begins between two occurrences of the same millisecond.
  expect(await page(2, 6)).toEqual({ total: 8, times: [BEFORE + HOUR + 1, BEFORE], skipped: 1 })
  expect(await page(5, 8)).toEqual({ total: 8, times: [], skipped: 0 })
  expect(await page(9, 0, { start: CHANGE, end: AFTER })).toEqual({
    total: 2,
    times: [AFTER - 1, CHANGE],
    skipped: 0,
  } satisfies Tasks['locateValueTimes']['output'])
}

test('times: of days without a rollup they are left to rows once these are many', async () => {
  expect(await series('title', 'Home', DAYS)).toBeNull()
  expect(await page(1, 0)).toBeNull()
})

test('times: series and pages are the same while rollups grow and when they are final', async () => {
  for (const now of [BEFORE + 2 * HOUR, CHANGE + MINUTE, CHANGE + 20 * MINUTE, AFTER + HOUR, END + HOUR]) {
    await rollUpAll(db, new Date(now))
    if (now > AFTER) await expectTimes()
  }
  await rollUpAll(db, new Date(END + 48 * HOUR))
  await expectTimes()
  // Rows are not needed any more.
  const [stored] = await db<{ days: number }[]>`
    select count(*) as days
    from daily_value_rollups
    where site_no = ${site.siteNo} and times is not null and dimension not in ('title', 'error')`
  expect(stored).toEqual({ days: 0 })
})

test('times: a late hit is counted before and after its day is rolled up again', async () => {
  await storeHits(db, 0, [error(200, CHANGE + 3 * HOUR), ...session(201, CHANGE + 3 * HOUR, 'Home')])
  for (const rollsUp of [false, true]) {
    if (rollsUp) await rollUpAll(db, new Date(END + 48 * HOUR))
    expect(await series('title', 'Home', DAYS)).toEqual([4, 2, 1])
    expect(await page(1, 3)).toMatchObject({ total: 9, times: [CHANGE + 3 * HOUR] })
  }
})

test('times: a day with too many values is left to rows', async () => {
  await db`delete from daily_rollups where site_no = ${site.siteNo}`
  await db`delete from rollup_spans where site_no = ${site.siteNo}`
  await rollUpAll(db, new Date(END + 48 * HOUR), { values: 1, events: 1, partRows: 150_000 })
  expect(await series('title', 'Home', DAYS)).toBeNull()
  expect(await series('error', errorId, DAYS)).toEqual([4, 3, 2])
})
