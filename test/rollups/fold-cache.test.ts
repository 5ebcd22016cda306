import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectDb, type Db } from '../../src/infra/db.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Column } from '../../src/rollups/folds/codec.ts'
import { cacheOf } from '../../src/rollups/folds/fold-cache.ts'
import type { Ranking } from '../../src/rollups/protocol.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { expectFoldsEqualRows, type FoldedSite } from '../support/expect-folds.ts'
import { foldAll } from '../support/fold.ts'
import { enrichedHit } from '../support/hits.ts'
import { randomFrom } from '../support/random-values.ts'
import { createTestSite } from '../support/sites.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TODAY = Date.UTC(2026, 2, 10)
const DAYS = [{ from: '2026-03-06', to: '2026-03-10' }]
const WINDOW = { start: TODAY - 4 * DAY, end: TODAY + DAY }

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const visitors = Array.from({ length: 40 }, () => randomUUID())

/** Four days of visits, most of whose values count as much as others. */
async function fillSite(seed: number): Promise<FoldedSite> {
  const random = randomFrom(seed)
  const site = { ...(await createTestSite(db)), timezone: 'UTC' }
  const hits = []
  for (let day = -4; day < 0; day++) {
    for (let number = 0; number < 60; number++) {
      const url = `/${random.int(1 + random.int(60))}`
      const visitorId = visitors[random.int(visitors.length)]!
      const at = TODAY + day * DAY + number * 23 * MINUTE
      hits.push(enrichedHit(site, at, { visitorId, url, title: `Title of ${url}` }))
      if (number % 9 === 0) {
        hits.push(enrichedHit(site, at + MINUTE, { type: 'engagement', visitorId, url, engagedMs: 1_000 }))
      }
    }
  }
  await storeHits(db, 0, hits)
  return site
}

const late = (site: FoldedSite, at: number) =>
  storeHits(db, 0, [enrichedHit(site, at, { visitorId: randomUUID(), url: '/late', title: 'Late' })])

test('a day that is folded anew elsewhere is read anew everywhere', async () => {
  const site = await fillSite(1)
  const now = new Date(TODAY + HOUR)
  // Embedded, the session is one for all, and each pool has what it keeps.
  const elsewhere = connectDb(database.url, { max: 1, name: 'test' })
  await foldAll(elsewhere, now)
  const compare = () => expectFoldsEqualRows(db, site, DAYS, now)
  await compare()
  // Once more, now that what does not change is known.
  await compare()
  for (const at of [TODAY - 3 * DAY, TODAY - DAY]) {
    await late(site, at)
    await compare()
    await foldAll(elsewhere, now)
    await compare()
  }
  await expectFoldsEqualRows(elsewhere, site, DAYS, now)
  await elsewhere.end()
})

test('days that were folded before they had versions are told apart', async () => {
  const [one, other] = [await fillSite(2), await fillSite(3)]
  const now = new Date(TODAY + HOUR)
  await foldAll(db, now)
  await db`update day_folds set version = '00000000-0000-0000-0000-000000000000'`
  const unlike = await db`select from day_folds where version <> '00000000-0000-0000-0000-000000000000'`
  expect(unlike).toHaveLength(0)
  for (const site of [one, other]) await expectFoldsEqualRows(db, site, DAYS, now)
  await expectFoldsEqualRows(db, one, [{ from: '2026-03-07', to: '2026-03-08' }], now)
  await late(one, TODAY - 2 * DAY)
  await foldAll(db, now)
  await expectFoldsEqualRows(db, one, DAYS, now)
})

test('whoever writes what is folded renews the version, and moving on alone does not', async () => {
  const site = await fillSite(4)
  await foldAll(db, new Date(TODAY + HOUR))
  const versions = async () => {
    const rows = await db<{ version: string }[]>`
      select version from day_folds where site_no = ${site.siteNo} order by starts_at`
    return rows.map(({ version }) => version)
  }
  const before = await versions()
  expect(new Set(before).size).toBe(before.length)
  await db`update day_folds set folded_to = folded_to + interval '1 hour' where site_no = ${site.siteNo}`
  expect(await versions()).toEqual(before)
  await db`update day_folds set visitors = visitors where site_no = ${site.siteNo}`
  const after = await versions()
  expect(after.filter(version => before.includes(version))).toEqual([])
})

test('every page is a part of the whole list, by whatever it is ordered and however deep it is', async () => {
  const site = await fillSite(5)
  await foldAll(db, new Date(TODAY + HOUR))
  const orders: Column[][] = [
    ['visitors', 'sessions'],
    ['visitors'],
    ['hits'],
    ['pageviews', 'hits'],
    ['sessions', 'pageviews'],
    ['bounces'],
    ['engagedMs'],
    ['lastAt'],
  ]
  for (const by of orders) {
    const ask = (limit: number, offset: number, pool = db) => {
      const ranking: Ranking = {
        siteNo: site.siteNo,
        window: WINDOW,
        dimension: 'title',
        by,
        shown: ['hits', 'sessions'],
        leavesOutEmpty: false,
        limit,
        offset,
      }
      return tasks.rankValues(pool, ranking)
    }
    const whole = (await ask(1_000, 0, unknowing()))!
    expect(whole.rows.length).toBe(whole.total)
    expect(whole.total).toBeGreaterThan(30)
    const byCounts = whole.rows.map(row => by.map(column => row[column]))
    expect(new Set(byCounts.map(String)).size).toBeLessThan(by[0] === 'lastAt' ? 100 : whole.total)
    for (const [limit, offset] of [
      [7, 20],
      [1, 0],
      [10, 10],
      [3, whole.total - 2],
      [5, whole.total],
      [25, 0],
    ] as const) {
      for (const pool of [unknowing(), db, db]) {
        const page = (await ask(limit, offset, pool))!
        expect(page.total).toBe(whole.total)
        const shown = page.rows.map(row => ({ value: row.value, counts: by.map(column => row[column]) }))
        const expected = whole.rows.slice(offset, offset + limit)
        expect(shown).toEqual(
          expected.map(row => ({ value: row.value, counts: by.map(column => row[column]) })),
        )
      }
    }
  }
})

test('a run weighs what it takes, and one without values takes nothing', async () => {
  const site = await fillSite(6)
  await foldAll(db, new Date(TODAY + HOUR))
  const pool = unknowing()
  const kept = vi.spyOn(cacheOf(pool).values, 'set')
  const ask = (dimension: string) =>
    tasks.rankValues(pool, {
      siteNo: site.siteNo,
      window: WINDOW,
      dimension,
      by: ['visitors'],
      shown: ['hits'],
      leavesOutEmpty: false,
      limit: 5,
      offset: 0,
    })
  await ask('error')
  expect(kept).not.toHaveBeenCalled()
  await ask('country')
  const weights = kept.mock.calls.map(([key, , { bytes }]) => bytes - key.length)
  expect(weights.length).toBeGreaterThan(0)
  for (const weight of weights) {
    expect(weight).toBeGreaterThan(2_000)
    expect(weight).toBeLessThan(5_000)
  }
})

/** The same database for somebody who has not read anything yet. */
const unknowing = (): Db => new Proxy(db, { get: (target, name) => Reflect.get(target, name) }) as Db
