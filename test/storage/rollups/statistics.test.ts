import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { analyzeGrown, compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite } from '../../support/sites.ts'

const DAY = 86_400_000
const MARCH = Date.UTC(2026, 2, 10)
const MAY = Date.UTC(2026, 4, 10)
const JUNE = Date.UTC(2026, 5, 10)

const db = dbOf(useDatabase(() => testDatabase({ isMaintained: false })))

const site = ofFile(() => createTestSite(db))

function store(from: number, count: number) {
  const hits = Array.from({ length: count }, (_, index) => enrichedHit(site, from + index * 10))
  return storeHits(db, 0, hits)
}

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

test('rollups: chunks that an import wrote get statistics, again after they have grown by half; others do not', async () => {
  const analyze = (from: number, to = from) => analyzeGrown(db, { from, to })
  await store(MARCH, 1_000)
  await store(JUNE, 1_000)
  expect(await knownRows(MARCH)).toBeUndefined()
  await analyze(MARCH, MARCH + DAY)
  expect(await knownRows(MARCH)).toBe(1_000)
  expect(await knownRows(MARCH, 'sessions')).toBe(1_000)
  expect(await knownRows(JUNE)).toBeUndefined()
  await store(MARCH + 100_000, 100)
  await analyze(MARCH)
  expect(await knownRows(MARCH)).toBe(1_000)
  await store(MARCH + 200_000, 1_000)
  await analyze(MARCH)
  expect(await knownRows(MARCH)).toBe(2_100)
  // Statistics of a small chunk would make the planner read all of it for one row.
  await store(MAY, 50)
  await analyze(MAY)
  expect(await knownRows(MAY)).toBeUndefined()
  // Nor do chunks in the columnstore get any.
  await compressSettledChunks(db, new Date(JUNE + 30 * DAY))
  await analyze(MARCH, JUNE)
  expect(await knownRows(JUNE)).toBeUndefined()
})
