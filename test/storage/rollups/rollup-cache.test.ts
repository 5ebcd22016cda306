// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { connectDb, type Db } from '../../../src/platform/db/connect.ts'
import type { Column } from '../../../src/storage/rollups/daily/codec.ts'
import { coverValues } from '../../../src/storage/rollups/daily/rank-values.ts'
import type { RankedValue, Ranking } from '../../../src/storage/rollups/protocol.ts'
import { tasks } from '../../../src/storage/rollups/tasks.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { expectRollupsEqualColumns, type RolledUpSite } from '../../support/expect-rollups.ts'
import { enrichedHit } from '../../support/hits.ts'
import { randomFrom } from '../../support/random-values.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { createTestSite } from '../../support/sites.ts'

const [MINUTE, DAY] = [60_000, 86_400_000]
const TODAY = Date.UTC(2026, 2, 10)
const DAYS = [{ from: '2026-03-06', to: '2026-03-10' }]
const WINDOW = { start: TODAY - 4 * DAY, end: TODAY }
const NOW = new Date(TODAY + OPEN_MS)

const database = useDatabase(testDatabase)
const db = dbOf(database)

const visitors = Array.from({ length: 40 }, () => randomUUID())

/** Stores four days of visits; most of their values have equal counts. */
async function fillSite(seed: number): Promise<RolledUpSite> {
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

const late = (site: RolledUpSite, at: number) =>
  storeHits(db, 0, [enrichedHit(site, at, { visitorId: randomUUID(), url: '/late', title: 'Late' })])

test('rollup cache: a day that another process rolls up again is read again', async () => {
  const site = await fillSite(1)
  // In the embedded database all pools share one session, but each pool has its own cache.
  const elsewhere = connectDb(database.url, { max: 1, name: 'test' })
  await rollUpAll(elsewhere, NOW)
  const compare = async (days = 4) => {
    const seen = await expectRollupsEqualColumns(db, site, DAYS, NOW)
    expect(seen.days).toBe(days)
  }
  await compare()
  // Once more, now that the cache is filled.
  await compare()
  for (const at of [TODAY - 3 * DAY, TODAY - DAY]) {
    await late(site, at)
    await compare(3)
    await rollUpAll(elsewhere, NOW)
    await compare()
  }
  await expectRollupsEqualColumns(elsewhere, site, DAYS, NOW)
  await elsewhere.end()
})

test('rollup cache: days of different sites with the same version are kept apart', async () => {
  const [one, other] = [await fillSite(2), await fillSite(3)]
  await rollUpAll(db, NOW)
  await db`update daily_rollups set version = '00000000-0000-0000-0000-000000000000'`
  const unlike = await db`select from daily_rollups where version <> '00000000-0000-0000-0000-000000000000'`
  expect(unlike).toHaveLength(0)
  for (const site of [one, other]) await expectRollupsEqualColumns(db, site, DAYS, NOW)
  await expectRollupsEqualColumns(db, one, [{ from: '2026-03-07', to: '2026-03-08' }], NOW)
  await late(one, TODAY - 2 * DAY)
  await rollUpAll(db, NOW)
  await expectRollupsEqualColumns(db, one, DAYS, NOW)
})

test('rollup cache: every page is a part of the whole list, for every order and offset', async () => {
  const site = await fillSite(5)
  // New sites get their newest day with the next quarter of an hour.
  await rollUpAll(db, new Date(NOW.getTime() + 15 * MINUTE))
  const covered = await coverValues(db, { siteNo: site.siteNo, window: WINDOW, dimension: 'title' })
  expect(covered.gaps).toEqual([])
  const pairs = ['visitors sessions', 'pageviews hits', 'sessions pageviews'].map(pair => pair.split(' '))
  const orders = [...pairs, ['visitors'], ['hits'], ['bounces'], ['engagedMs'], ['lastAt']] as Column[][]
  for (const by of orders) {
    const ask = async (limit: number, offset: number, pool = db) => {
      const asked: Ranking = {
        siteNo: site.siteNo,
        window: WINDOW,
        dimension: 'title',
        covered,
        rest: [],
        by,
        shown: ['hits', 'sessions'],
        leavesOutEmpty: false,
        limit,
        offset,
      }
      return (await tasks.rankValues(pool, asked)) as { rows: RankedValue[]; total: number }
    }
    const whole = await ask(1_000, 0, unknowing())
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
        const page = await ask(limit, offset, pool)
        expect(page.total).toBe(whole.total)
        const shown = page.rows.map(row => [row.value, ...by.map(column => row[column])])
        const expected = whole.rows.slice(offset, offset + limit)
        expect(shown).toEqual(expected.map(row => [row.value, ...by.map(column => row[column])]))
      }
    }
  }
})

/** Returns the same database with an empty cache, because caches are kept by pool. */
const unknowing = (): Db => new Proxy(db, { get: (target, name) => Reflect.get(target, name) }) as Db
