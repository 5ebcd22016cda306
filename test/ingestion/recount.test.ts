import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EnrichedHit, Hit, HitType } from '../../src/ingestion/hit.ts'
import { isReservedName } from '../../src/ingestion/reserved-names.ts'
import { enrich } from '../../src/ingestion/stages/index.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { refreshAggregate } from '../../src/rollups/aggregates.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { randomHitStream } from '../support/random-hits.ts'
import { recountSessions, type SentHit } from '../support/recount.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { expectSameOverviews, expectSameSessions } from '../support/stored.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const OWN_TYPE = ['outbound', 'download', 'button', 'form', 'copy', 'error'] as const

/** What the edge makes of a custom event's name. */
function typeOf({ kind, name }: SentHit): HitType {
  return (kind === 'event' && OWN_TYPE.find(type => type === name)) || kind
}

function toHit(site: TestSite, sent: SentHit): EnrichedHit {
  const hit: Hit = {
    id: sent.id,
    at: sent.at,
    siteNo: site.siteNo,
    siteId: site.id,
    type: typeOf(sent),
    visitorId: sent.visitor,
    hostname: 'example.com',
  }
  if (sent.path !== undefined) hit.url = sent.path
  if (sent.title !== undefined) hit.title = sent.title
  if (sent.name !== undefined) hit.name = sent.name
  if (sent.scroll !== undefined) hit.scroll = sent.scroll
  if (sent.engagedMs !== undefined) hit.engagedMs = sent.engagedMs
  if (sent.identifier !== undefined) hit.identity = { identifier: sent.identifier }
  return enrich(hit)
}

async function storeStream(site: TestSite, batches: SentHit[][], between: (now: number) => Promise<void>) {
  for (const batch of batches) {
    const recorded = batch.filter(hit => !(hit.name && isReservedName(hit.name)))
    await storeHits(
      database.db,
      0,
      recorded.map(hit => toHit(site, hit)),
    )
    await between(Math.max(...batch.map(hit => hit.at)))
  }
}

/** Second deliveries of hits that were not recorded prove nothing: a lost acknowledgement repeats whole batches. */
function withoutRepeatedDrops(batches: SentHit[][], dropped: string[]): SentHit[][] {
  const gone = new Set(dropped)
  const seen = new Set<string>()
  return batches
    .map(batch => batch.filter(hit => !(gone.has(hit.id) && seen.has(hit.id)) && seen.add(hit.id)))
    .filter(batch => batch.length > 0)
}

const STREAMS = Number(process.env.RECOUNT_STREAMS ?? 60)

describe.each(['timely', 'late'] as const)('streams whose hits come %s', arrival => {
  test(`equal a recount of the hits, before and after refresh and compression (${STREAMS} streams)`, async () => {
    for (let seed = 1; seed <= STREAMS; seed++) {
      const stream = randomHitStream(seed)
      const site = await createTestSite(database.db, { timezone: stream.zone })
      const recount = recountSessions(stream[arrival])
      const batches = withoutRepeatedDrops(stream[arrival], recount.dropped)
      // Some streams are refreshed as they come in, so that late hits fall below the horizon.
      const refresh = async (now: Date) => {
        await refreshAggregate(database.db, 'hits', now)
        await refreshAggregate(database.db, 'sessions', now)
      }
      await storeStream(site, batches, async now => {
        if (seed % 3 === 0) await refresh(new Date(now))
      })
      try {
        await expectSameSessions(database.db, site, recount)
        await expectSameOverviews(database.db, site, stream, recount)
        await refresh(new Date(Date.UTC(2026, 5, 1)))
        await expectSameOverviews(database.db, site, stream, recount)
        if (seed % 10 === 0) {
          await compressSettledChunks(database.db, new Date(Date.UTC(2026, 5, 1)))
          await expectSameOverviews(database.db, site, stream, recount)
        }
      } catch (error) {
        throw new Error(`seed ${seed}, zone ${stream.zone}: ${(error as Error).message}`, { cause: error })
      }
    }
  }, 300_000)
})

test('every batch delivered twice changes no number', async () => {
  const stream = randomHitStream(4711)
  const site = await createTestSite(database.db, { timezone: stream.zone })
  const recount = recountSessions(stream.timely)
  for (const batch of stream.timely) {
    const hits = () =>
      batch.filter(hit => !(hit.name && isReservedName(hit.name))).map(hit => toHit(site, hit))
    await storeHits(database.db, 0, hits())
    const again = await storeHits(database.db, 0, [...hits(), ...hits()])
    expect(again.stored).toBe(0)
  }
  await expectSameSessions(database.db, site, recount)
  await expectSameOverviews(database.db, site, stream, recount)
})
