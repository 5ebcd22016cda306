import { describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { randomHitStream } from '../../support/random-hits.ts'
import { recountSessions } from '../../support/recount.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite } from '../../support/sites.ts'
import { expectSameOverviews, expectSameSessions } from '../../support/stored.ts'
import { recordedHits, storeVisits, withoutRepeatedDrops } from '../../support/stored-visits.ts'

const db = dbOf(useDatabase(testDatabase))

const STREAMS = runs(10)

describe.each(['timely', 'late'] as const)('ingestion: streams with %s hits', arrival => {
  test(`equal a recount of the hits, before and after refresh and compression (${STREAMS} streams)`, async () => {
    for (const seed of seeds(STREAMS)) {
      const stream = randomHitStream(seed)
      const site = await createTestSite(db, { timezone: stream.zone })
      const recount = recountSessions(stream[arrival])
      const batches = withoutRepeatedDrops(stream[arrival], recount.dropped)
      // Some streams are refreshed while they arrive, so that late hits fall below the watermark.
      const refresh = (now: Date) => refreshAggregate(db, 'hits', now)
      await storeVisits(db, site, batches, async now => {
        if (seed % 3 === 0) await refresh(new Date(now))
      })
      try {
        await expectSameSessions(db, site, recount)
        await expectSameOverviews(db, site, stream, recount)
        await refresh(new Date(Date.UTC(2026, 5, 1)))
        await expectSameOverviews(db, site, stream, recount)
        if (seed % 10 === 0) {
          await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
          await expectSameOverviews(db, site, stream, recount)
        }
      } catch (error) {
        throw new Error(`seed ${seed}, zone ${stream.zone}: ${(error as Error).message}`, { cause: error })
      }
    }
  })
})

test('ingestion: delivering every batch twice changes no number', async () => {
  const stream = randomHitStream(4711)
  const site = await createTestSite(db, { timezone: stream.zone })
  const recount = recountSessions(stream.timely)
  for (const batch of stream.timely) {
    const hits = () => recordedHits(site, batch)
    await storeHits(db, 0, hits())
    const again = await storeHits(db, 0, [...hits(), ...hits()])
    expect(again.stored).toBe(0)
  }
  await expectSameSessions(db, site, recount)
  await expectSameOverviews(db, site, stream, recount)
})
