import { expect, test } from 'vitest'
import { newHitId } from '../../../src/ingestion/edge/hit-id.ts'
import { digestOf, hitIdOf } from '../../../src/ingestion/import/line-ids.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { createTestSite } from '../../support/sites.ts'

const HITS = 2_000
const NOON = Date.UTC(2026, 2, 10, 12)

const db = dbOf(useDatabase(testDatabase))

async function compressedBytesOf(column: string): Promise<number> {
  const [chunk] = await db<{ name: string }[]>`
    select format('%I.%I', columnar.schema_name, columnar.table_name) as name
    from _timescaledb_catalog.chunk
    join _timescaledb_catalog.hypertable on hypertable.id = chunk.hypertable_id
    join _timescaledb_catalog.chunk as columnar on columnar.id = chunk.compressed_chunk_id
    where hypertable.table_name = 'events'`
  const [size] = await db.unsafe<{ bytes: number }[]>(
    `select sum(pg_column_size(${column}))::int as bytes from ${chunk!.name}`,
  )
  return size!.bytes
}

test.each([
  ['live', (at: number) => newHitId(at)],
  ['imported', (at: number, index: number) => hitIdOf(digestOf('site', Buffer.from(`line ${index}`)), 0, at)],
])('columnstore: ids of %s hits take about half of their 16 bytes', async (_, idOf) => {
  const site = await createTestSite(db)
  const hits = Array.from({ length: HITS }, (_, index) => {
    const at = NOON + index * 700 + (index % 13) * 37
    return enrichedHit(site, at, { id: idOf(at, index), url: `/page-${index % 40}?from=${index % 3}` })
  })
  await storeHits(db, 0, hits)
  await compressSettledChunks(db, new Date(NOON + 60 * 86_400_000))
  expect(await compressedBytesOf('id')).toBeLessThan(8.5 * HITS)
  expect(await compressedBytesOf('url')).toBeLessThan(0.2 * HITS)
  await db`truncate events, sessions`
})
