import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import type { Column } from '../../src/rollups/daily/codec.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const DAY = Date.UTC(2026, 2, 10)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = new Date(DAY + 24 * HOUR)

let database: TestDatabase
let db: Db
let site: TestSite

const ADA = randomUUID()
const BOB = randomUUID()

/** Ada reads `/a` twice and `/b` once; Bob reads `/a` and sends engagement without a scroll depth. */
const visits = () => {
  const hit = (visitorId: string, at: number, fields: Partial<Hit>) =>
    enrichedHit(site, DAY + at, { visitorId, title: `Title of ${fields.url}`, country: 'DE', ...fields })
  const read = (visitorId: string, at: number, url: string, fields: Partial<Hit>) =>
    hit(visitorId, at, { type: 'engagement', url, ...fields })
  return [
    hit(ADA, HOUR, { url: '/a' }),
    read(ADA, HOUR + 10_000, '/a', { engagedMs: 9_000, scroll: 40 }),
    hit(ADA, HOUR + MINUTE, { url: '/b' }),
    hit(ADA, HOUR + 2 * MINUTE, { url: '/a' }),
    read(ADA, HOUR + 3 * MINUTE, '/a', { engagedMs: 50_000, scroll: 75 }),
    read(ADA, HOUR + 4 * MINUTE, '/a', { engagedMs: 500, scroll: 60 }),
    hit(BOB, HOUR, { url: '/a' }),
    read(BOB, HOUR + MINUTE, '/a', { engagedMs: 4_000 }),
  ]
}

/** Values that are not 0, by value of a dimension. */
async function countsOf(dimension: string): Promise<Record<string, Partial<Record<Column, number>>>> {
  const ranked = await tasks.rankValues(db, {
    siteNo: site.siteNo,
    window: { start: DAY, end: DAY + 24 * HOUR },
    dimension,
    by: ['sessions'],
    shown: ['sessions'],
    leavesOutEmpty: false,
    limit: 10,
    offset: 0,
  })
  const shown: readonly string[] = [
    'sessions',
    'durationMs',
    'engagedMs',
    'engagedSessions',
    'scrollSum',
    'scrolledSessions',
    'untimedSessions',
  ]
  return Object.fromEntries(
    ranked!.rows.map(({ value, ...counts }) => [
      value,
      Object.fromEntries(
        Object.entries(counts).filter(([column, count]) => count > 0 && shown.includes(column)),
      ),
    ]),
  )
}

const OF_A = {
  sessions: 2,
  durationMs: 5 * MINUTE,
  engagedMs: 63_500,
  engagedSessions: 2,
  scrollSum: 75,
  scrolledSessions: 1,
}

async function expectCounts(): Promise<void> {
  expect(await countsOf('path')).toEqual({
    '/a': OF_A,
    '/b': { sessions: 1, durationMs: 4 * MINUTE },
  })
  expect(await countsOf('title')).toEqual({
    'Title of /a': OF_A,
    'Title of /b': { sessions: 1, durationMs: 4 * MINUTE },
  })
  expect(await countsOf('country')).toEqual({ DE: { sessions: 2, durationMs: 5 * MINUTE } })
  expect(await countsOf('hostname')).toEqual({ 'example.com': { sessions: 2, durationMs: 5 * MINUTE } })
}

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  site = await createTestSite(db)
  await storeHits(db, 0, visits())
})
afterAll(() => database.close())

test('rollups: duration, engagement and scroll depth of each value are counted from rows', async () => {
  await expectCounts()
})

test('rollups: duration, engagement and scroll depth of each value are the same from a rollup that grew', async () => {
  for (const hour of [1.01, 1.3, 3, 24]) await rollUpAll(db, new Date(DAY + hour * HOUR + 15 * MINUTE))
  await rollUpAll(db, NOW)
  await expectCounts()
})

test('rollups: a late engagement counts in the duration, the engagement and the scroll depth', async () => {
  const late = {
    type: 'engagement',
    visitorId: BOB,
    url: '/a',
    title: '',
    engagedMs: 1_000,
    scroll: 90,
  } as const
  await storeHits(db, 0, [enrichedHit(site, DAY + HOUR + 2 * MINUTE, late)])
  const expected = {
    ...OF_A,
    durationMs: 6 * MINUTE,
    engagedMs: 64_500,
    scrollSum: 75 + 90,
    scrolledSessions: 2,
  }
  expect((await countsOf('path'))['/a']).toEqual(expected)
  await rollUpAll(db, NOW)
  expect((await countsOf('path'))['/a']).toEqual(expected)
  expect((await countsOf('title'))['Title of /a']).toEqual(expected)
})
