// @module-tag full
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { LiveTail } from '../../src/rollups/live-tail/live-tail.ts'
import { TailLost, TailUnfit } from '../../src/rollups/live-tail/tail-shape.ts'
import { isInTail } from '../../src/rollups/live-tail/value-counter.ts'
import { countRecentHits } from '../../src/rollups/recent/recent-hits.ts'
import { ask, work } from '../people/steps.ts'
import { type Action, busyHits, sizeOf } from '../support/busy-hits.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import {
  beginTail,
  compareTail,
  countAndRollUp,
  DIMENSIONS,
  expectTailEqualsRows,
  LIMITS,
} from '../support/live-tail.ts'
import { randomHitStream } from '../support/random-hits.ts'
import { recountSessions } from '../support/recount.ts'
import { sweep } from '../support/runs.ts'
import type { TestSite } from '../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Before midnight of Chatham, UTC+13:45, in the middle of a quarter of an hour. */
const START = Date.UTC(2026, 2, 10, 9, 37)

let db: Db

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

test('a live tail has what hits carry or copy, exit pages and errors; other dimensions are counted from rows', () => {
  const ofHits = ['path', 'title', 'hostname', 'event_name', 'source', 'entry_path', 'exit_path', 'error']
  expect(DIMENSIONS).toEqual(expect.arrayContaining(ofHits))
  expect(['screen', 'hour_of_week', 'property', 'user_id'].filter(isInTail)).toEqual([])
})

test.each(sweep([1, 2, 4, 5]))(
  'a live tail equals the rows after each batch, with late hits (stream %i)',
  async seed => {
    const stream = randomHitStream(seed)
    const site = await beginTail(db, stream.zone)
    const batches = withoutRepeatedDrops(stream.late, recountSessions(stream.late).dropped)
    const followed = follow(site)
    let latest = 0
    await storeVisits(db, site, batches, async now => {
      latest = Math.max(latest, now)
      await followed.compare(latest)
      await countAndRollUp(db, latest + 20_000)
      await followed.compare(latest)
    })
    expect(followed.values).toBeGreaterThan(0)
  },
)

test.each([
  ['UTC', 1],
  ['Pacific/Chatham', 2],
  ['Asia/Kathmandu', 3],
])(
  'a live tail of a busy site in %s equals the rows over midnight, and stays when rollups grow',
  { tags: ['full'] },
  async (zone, seed) => {
    const site = await beginTail(db, zone)
    const followed = follow(site)
    for (const step of busyHits(site, START, 2 * HOUR, seed)) {
      const now = await storeStep(step)
      await followed.compare(now)
      await countAndRollUp(db, now)
      await followed.compare(now)
    }
    expect(followed.values).toBeGreaterThan(5_000)
    // Built once; the rollups have grown six times meanwhile.
    expect(followed.built).toBe(1)
    expect(followed.bytes).toBeGreaterThan(0)
  },
)

const CHANGES: [string, Action, boolean][] = [
  ['a hit that comes a minute late', 'late', true],
  ['a pageview in a session that the tail holds, before its other hits', 'before', true],
  ['engagement of a session that was over', 'over', false],
  ['a hit that comes an hour late', 'very late', false],
]
test.each(sweep(CHANGES))('a live tail after %s', async (_, action, isKept) => {
  const site = await beginTail(db)
  const now = await storeBusy(site, 4)
  const visitorId = '00000000-0000-4000-8000-0000000000ff'
  const hit = (at: number, fields = {}) => enrichedHit(site, at, { visitorId, title: 'Late', ...fields })
  const opening = hit(now - 2 * MINUTE, { visitorId: FRESH, url: '/b' })
  await storeHits(db, 0, [hit(now - HOUR, { url: '/long' }), opening])
  await countAndRollUp(db, now + 1)
  const tail = (await LiveTail.build(db, site.siteNo, LIMITS))!
  await expectTailEqualsRows(db, tail, site.siteNo, now)
  const changed = {
    late: hit(now - MINUTE),
    before: hit(now - 3 * MINUTE, { visitorId: FRESH, url: '/a' }),
    over: hit(now, { type: 'engagement', url: '/long', engagedMs: 5_000 }),
    'very late': hit(now - HOUR - MINUTE),
  }[action]
  await storeHits(db, 1, [changed])
  if (isKept) {
    await expectTailEqualsRows(db, tail, site.siteNo, now)
    await countAndRollUp(db, now + 1_000)
    await expectTailEqualsRows(db, tail, site.siteNo, now)
    return
  }
  // Rows are counted while the day is marked, and the day that was rolled up again is another one.
  expect(await compareTail(db, tail, site.siteNo, now)).toBeUndefined()
  await countAndRollUp(db, now + 1_000)
  await expect(compareTail(db, tail, site.siteNo, now)).rejects.toThrow(TailLost)
})
const FRESH = '00000000-0000-4000-8000-0000000000fe'

test.each([
  ['whose hits are older than some seconds', 30_000],
  ['whose hits have just come', 5_000],
])('a live tail is lost when a person is erased %s', async (_, ageMs) => {
  const site = await beginTail(db)
  const now = await storeBusy(site, 5)
  const visitorId = '00000000-0000-4000-8000-0000000000fd'
  const hits = [
    enrichedHit(site, now - ageMs, { visitorId }),
    enrichedHit(site, now - ageMs + 1, { visitorId, type: 'identify', identity: { identifier: 'ada' } }),
  ]
  await storeHits(db, 0, hits)
  await countAndRollUp(db, now)
  const tail = (await LiveTail.build(db, site.siteNo, LIMITS))!
  await expectTailEqualsRows(db, tail, site.siteNo, now)
  await ask(db, site, 'ada', new Date(now))
  await work(db, new Date(now))
  expect(await compareTail(db, tail, site.siteNo, now).catch(lost)).toBeUndefined()
  await countAndRollUp(db, now + 1_000)
  await expect(compareTail(db, tail, site.siteNo, now)).rejects.toThrow(TailLost)
  const anew = (await LiveTail.build(db, site.siteNo, LIMITS))!
  expect(await expectTailEqualsRows(db, anew, site.siteNo, now)).toBeGreaterThan(0)
})

test('a live tail is not built of a quiet site, nor beyond its memory', async () => {
  const site = await beginTail(db)
  const [first] = [...busyHits(site, START, 3 * MINUTE, 6)]
  await storeStep(first!)
  expect(await LiveTail.build(db, site.siteNo, LIMITS)).toBeUndefined()
  await countAndRollUp(db, first!.now + 20 * MINUTE)
  await storeHits(db, 0, [enrichedHit(site, first!.now + 20 * MINUTE)])
  await countAndRollUp(db, first!.now + 21 * MINUTE)
  await expect(LiveTail.build(db, site.siteNo, { maxBytes: () => 1_000 })).rejects.toThrow(TailUnfit)
  expect(sizeOf(first!)).toBeGreaterThan(0)
})

test('a live tail leaves a day to be counted from rows while the day before it is marked', {
  tags: ['full'],
}, async () => {
  const site = await beginTail(db)
  const midnight = Date.UTC(2026, 2, 11)
  let now = 0
  for (const step of busyHits(site, midnight - 1.5 * HOUR, 2 * HOUR, 10)) {
    now = await storeStep(step)
    await countAndRollUp(db, now)
  }
  const visitorId = '00000000-0000-4000-8000-0000000000fc'
  await storeHits(db, 0, [enrichedHit(site, midnight + 5 * MINUTE, { visitorId })])
  await countAndRollUp(db, now)
  const tail = (await LiveTail.build(db, site.siteNo, LIMITS))!
  await expectTailEqualsRows(db, tail, site.siteNo, now)
  // Joins the session of the next day, as a hit before its start.
  await storeHits(db, 0, [enrichedHit(site, midnight - 5 * MINUTE, { visitorId, url: '/late' })])
  expect(await compareTail(db, tail, site.siteNo, now)).toBeUndefined()
})

test('a live tail is lost when the rollups stay so far behind that marks are deleted', async () => {
  const site = await beginTail(db)
  const now = await storeBusy(site, 11)
  const tail = (await LiveTail.build(db, site.siteNo, LIMITS))!
  const later = now + HOUR
  await storeHits(db, 0, [enrichedHit(site, later - 30_000)])
  await countRecentHits(db, new Date(later), { busyHits: 1 })
  await expect(compareTail(db, tail, site.siteNo, later)).rejects.toThrow('rollups are far behind')
})

test('a live tail does not take a session with more than a thousand paths', { tags: ['full'] }, async () => {
  const site = await beginTail(db)
  const now = await storeBusy(site, 12)
  const visitorId = '00000000-0000-4000-8000-0000000000fb'
  const hits = Array.from({ length: 1_002 }, (_, index) =>
    enrichedHit(site, now - 60_000 + index, { visitorId, url: `/${index}` }),
  )
  await storeHits(db, 0, hits)
  await expect(LiveTail.build(db, site.siteNo, LIMITS)).rejects.toThrow(TailUnfit)
})

const lost = (error: unknown) => {
  if (!(error instanceof TailLost)) throw error
}

/** Stores the batches of a step. @returns when they have come */
async function storeStep({ now, batches }: { now: number; batches: EnrichedHit[][] }): Promise<number> {
  for (const [partition, batch] of batches.entries()) await storeHits(db, partition, batch)
  return now
}

/** Stores an hour of a busy site, and rolls it up at the end. @returns that time */
async function storeBusy(site: TestSite, seed: number): Promise<number> {
  let now = 0
  for (const step of busyHits(site, START, HOUR, seed)) now = await storeStep(step)
  // A site is busy that has hits in the minute before the watermark.
  await storeHits(db, 0, [enrichedHit(site, now - 30_000)])
  await countAndRollUp(db, now)
  return now
}

/** Compares a tail with the rows at each step; builds it when there is none, and again when it was lost. */
function follow({ siteNo }: TestSite) {
  let tail: LiveTail | undefined
  const followed = {
    values: 0,
    built: 0,
    bytes: 0,
    async compare(now: number): Promise<void> {
      try {
        if (!tail) {
          tail = await LiveTail.build(db, siteNo, LIMITS)
          if (!tail) return
          followed.built++
        }
        followed.values += (await compareTail(db, tail, siteNo, now)) ?? 0
        tail.prune()
        followed.values += (await compareTail(db, tail, siteNo, now)) ?? 0
        followed.bytes = tail.bytes.rows
      } catch (error) {
        if (!(error instanceof TailLost)) throw error
        tail = undefined
      }
    },
  }
  return followed
}
