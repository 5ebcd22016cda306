import { expect, test } from 'vitest'
import { findStored } from '../../../src/ingestion/store/find-stored.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { createTestSite } from '../../support/sites.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const MINUTE = 60_000

const database = useDatabase()

test.each([
  ['as many as are stored of their time', 100, 1],
  ['few of many', 100, 33],
  ['the first and the last of many', 400, 399],
])('ingestion: hits that are stored are found, others are not: %s', async (_, count, step) => {
  const { db } = database
  const [site, other] = [await createTestSite(db), await createTestSite(db)]
  const hits = Array.from({ length: count }, (_, index) => enrichedHit(site, NOON + index * MINUTE))
  await storeHits(db, 0, hits)
  const asked = hits.filter((_, index) => index % step === 0)
  const unknown = asked.map(({ at }) => enrichedHit(site, at))
  const elsewhere = asked.map(hit => ({ ...hit, siteNo: other.siteNo }))
  const found = async () => [...(await findStored(db, [...asked, ...unknown]))].sort()
  expect(await found()).toEqual(asked.map(({ id }) => id).sort())
  expect(await findStored(db, elsewhere)).toEqual(new Set())
  await compressSettledChunks(db, new Date(NOON + 60 * 24 * 60 * MINUTE))
  expect(await found()).toEqual(asked.map(({ id }) => id).sort())
})
