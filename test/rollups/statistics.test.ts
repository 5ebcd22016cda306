import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { analyzeGrown, compressSettledChunks } from '../../src/rollups/columnstore.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const DAY = 86_400_000
const MARCH = Date.UTC(2026, 2, 10)
const MAY = Date.UTC(2026, 4, 10)
const JUNE = Date.UTC(2026, 5, 10)

let database: TestDatabase
let db: Db
let site: TestSite

beforeAll(async () => {
  database = await testDatabase({ isMaintained: false })
  db = database.db
  site = await createTestSite(db)
})
afterAll(() => database.close())

const store = (from: number, count: number) =>
  storeHits(
    db,
    0,
    Array.from({ length: count }, (_, index) => enrichedHit(site, from + index * 10)),
  )

/** Rows by the statistics of the chunk at a time; undefined without statistics. */
async function knownRows(at: number, table = 'events'): Promise<number | undefined> {
  const [known] = await db<{ rows: number }[]>`
    select reltuples::int as rows
    from timescaledb_information.chunks
    join pg_class on relname = chunk_name
    where hypertable_name = ${table} and range_start <= ${new Date(at)} and range_end > ${new Date(at)}
      and exists (select from pg_stats where tablename = chunk_name)`
  return known?.rows
}

test('rollups: chunks that an import wrote get statistics, others are left unchanged', async () => {
  await store(MARCH, 1_000)
  await store(JUNE, 1_000)
  expect(await knownRows(MARCH)).toBeUndefined()
  await analyzeGrown(db, { from: MARCH, to: MARCH + DAY })
  expect(await knownRows(MARCH)).toBe(1_000)
  expect(await knownRows(MARCH, 'sessions')).toBe(1_000)
  expect(await knownRows(JUNE)).toBeUndefined()
})

test('rollups: statistics are renewed only after a chunk has grown by half', async () => {
  await store(MARCH + 100_000, 100)
  await analyzeGrown(db, { from: MARCH, to: MARCH })
  expect(await knownRows(MARCH)).toBe(1_000)
  await store(MARCH + 200_000, 1_000)
  await analyzeGrown(db, { from: MARCH, to: MARCH })
  expect(await knownRows(MARCH)).toBe(2_100)
})

test('rollups: a small chunk gets no statistics, because they would make the planner read all of it for one row', async () => {
  await store(MAY, 50)
  await analyzeGrown(db, { from: MAY, to: MAY })
  expect(await knownRows(MAY)).toBeUndefined()
})

test('rollups: chunks in the columnstore get no statistics', async () => {
  await compressSettledChunks(db, new Date(JUNE + 30 * DAY))
  await analyzeGrown(db, { from: MARCH, to: JUNE })
  expect(await knownRows(JUNE)).toBeUndefined()
})
