import { afterAll, beforeAll, expect, test } from 'vitest'
import { inSnapshot, type Queryable } from '../../src/db/connect.ts'
import { ROLLED_UP_DIMENSIONS } from '../../src/dimensions/rolled-up.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { coverageOf, readDailyRollups } from '../../src/rollups/daily/coverage.ts'
import { type CountsByValue, countSliceValues, type RowSlice } from '../../src/rollups/daily/row-slice.ts'
import { isInTail } from '../../src/rollups/live-tail/count-values.ts'
import { LiveTail } from '../../src/rollups/live-tail/live-tail.ts'
import { countRecentHits } from '../../src/rollups/recent-hits.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { randomHitStream } from '../support/random-hits.ts'
import { recountSessions } from '../support/recount.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const START = Date.UTC(2026, 2, 10)
/** Every site with hits. */
const ANY = { busyHits: 1 }
const LIMITS = { maxBytes: 100_000_000 }
const DIMENSIONS = ROLLED_UP_DIMENSIONS.filter(isInTail)

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

async function begin(timezone = 'UTC'): Promise<TestSite> {
  const { db } = database
  await db`delete from recent_hits`
  await db`delete from dirty_buckets`
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate in ('recent_hits', 'daily_rollups')`
  await db`delete from rollup_spans`
  await db`delete from daily_rollups`
  await db`update sites set deleted_at = now()`
  await db`update session_count_span set counted_from = '2000-01-01'`
  return createTestSite(db, { timezone })
}

/** Returns the slices that reads of the days around a time add to rollups. */
async function tailSlices(tx: Queryable, siteNo: number, now: number): Promise<RowSlice[]> {
  const rollups = (await readDailyRollups(tx, [siteNo], { start: now - 3 * DAY, end: now + 2 * DAY })).get(siteNo)!
  const windows = rollups.flatMap(({ start, end }) => [
    { start, end },
    { start: rollups[0]!.start, end },
  ])
  return windows.flatMap(window => coverageOf(window, rollups).tails)
}

const sorted = (byValue: CountsByValue | undefined) =>
  [...(byValue ?? [])]
    .map(([value, { counts, visitors }]) => ({ value, counts, visitors: [...visitors].sort((a, b) => a - b) }))
    .sort((a, b) => (a.value < b.value ? -1 : 1))

/** Advances the tail, and compares what it counts with the rows of the same snapshot. @returns how many values were compared */
async function expectSameAsRows(tail: LiveTail, siteNo: number, now: number): Promise<number> {
  return inSnapshot(database.db, async tx => {
    let compared = 0
    expect(await tail.advance(tx)).toBe(true)
    for (const slice of await tailSlices(tx, siteNo, now)) {
      expect(tail.holds(slice)).toBe(true)
      const rows = await countSliceValues(tx, siteNo, slice, DIMENSIONS)
      for (const dimension of DIMENSIONS) {
        const counted = sorted(tail.count(slice, dimension))
        expect({ dimension, counted }).toEqual({ dimension, counted: sorted(rows.get(dimension)) })
        compared += counted.length
      }
    }
    return compared
  })
}

test('a live tail knows every dimension that hits carry or copy, exit pages and errors', () => {
  expect(DIMENSIONS).toEqual(
    expect.arrayContaining(['path', 'title', 'hostname', 'event_name', 'source', 'country', 'entry_path', 'exit_path', 'error']),
  )
})

test.each([1, 2, 3, 4, 5, 6])(
  'a live tail equals the rows after each batch, with late hits, growth of rollups and new tails (stream %i)',
  async seed => {
    const { db } = database
    const stream = randomHitStream(seed)
    const site = await begin(stream.zone)
    const batches = withoutRepeatedDrops(stream.late, recountSessions(stream.late).dropped)
    let [latest, compared, kept, built] = [0, 0, 0, 0]
    let tail: LiveTail | undefined
    await storeVisits(db, site, batches, async now => {
      latest = Math.max(latest, now)
      if (tail) {
        try {
          compared += await expectSameAsRows(tail, site.siteNo, latest)
          tail.prune()
          compared += await expectSameAsRows(tail, site.siteNo, latest)
          kept++
        } catch (error) {
          if ((error as Error).constructor.name !== 'TailLost') throw error
          tail = undefined
        }
      }
      await countRecentHits(db, new Date(latest + 20_000), ANY)
      await rollUpAll(db, new Date(latest + 20_000))
      if (!tail) {
        tail = await LiveTail.build(db, site.siteNo, LIMITS).catch(() => undefined)
        if (tail) built++
      }
      if (tail) compared += await expectSameAsRows(tail, site.siteNo, latest).catch(error => {
        if (error.constructor.name !== 'TailLost') throw error
        tail = undefined
        return 0
      })
    })
    console.log({ seed, compared, kept, built })
    expect(built).toBeGreaterThan(0)
    expect(compared).toBeGreaterThan(0)
  },
)
