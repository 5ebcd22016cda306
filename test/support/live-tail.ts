import { expect } from 'vitest'
import { type Db, inSnapshot, type Queryable } from '../../src/db/connect.ts'
import { ROLLED_UP_DIMENSIONS } from '../../src/dimensions/rolled-up.ts'
import { coverageOf, readDailyRollups } from '../../src/rollups/daily/coverage.ts'
import { type CountsByValue, countSliceValues, type RowSlice } from '../../src/rollups/daily/row-slice.ts'
import type { LiveTail } from '../../src/rollups/live-tail/live-tail.ts'
import { isInTail } from '../../src/rollups/live-tail/value-counter.ts'
import { countRecentHits } from '../../src/rollups/recent/recent-hits.ts'
import { rollUpAll } from './roll-up.ts'
import { createTestSite, type TestSite } from './sites.ts'

const DAY = 86_400_000

export const LIMITS = { maxBytes: () => 100_000_000 }
/** The dimensions that a tail answers. */
export const DIMENSIONS = ROLLED_UP_DIMENSIONS.filter(isInTail)

/** A site in a database where nothing was counted yet; earlier sites are gone. */
export async function beginTail(db: Db, timezone = 'UTC'): Promise<TestSite> {
  await db`delete from recent_hits`
  await db`delete from dirty_buckets`
  await db`
    update watermarks set watermark = '-infinity', refreshed_to = '-infinity'
    where aggregate in ('recent_hits', 'daily_rollups')`
  await db`delete from rollup_spans`
  await db`delete from daily_rollups`
  await db`update sites set deleted_at = now()`
  await db`update session_count_span set counted_from = '2000-01-01'`
  return createTestSite(db, { timezone })
}

/** What the scheduler does every few seconds, with every site that has hits as a busy one. */
export async function countAndRollUp(db: Db, now: number): Promise<void> {
  await countRecentHits(db, new Date(now), { busyHits: 1 })
  await rollUpAll(db, new Date(now))
}

/** Returns the slices that reads of the days around a time add to rollups: of each day, and of several days together. */
export async function tailSlices(tx: Queryable, siteNo: number, now: number): Promise<RowSlice[]> {
  const stored = await readDailyRollups(tx, [siteNo], { start: now - 3 * DAY, end: now + 2 * DAY })
  const rollups = stored.get(siteNo)!
  const windows = rollups.flatMap(({ start, end }) => [
    { start, end },
    { start: rollups[0]!.start, end },
  ])
  return windows.flatMap(window => coverageOf(window, rollups).tails)
}

/** Counts by value in an order that does not depend on who counted. */
export const sorted = (byValue: CountsByValue | undefined) =>
  [...(byValue ?? [])]
    .map(([value, { counts, visitors }]) => ({
      value,
      counts,
      visitors: [...visitors].sort((a, b) => a - b),
    }))
    .sort((a, b) => (a.value < b.value ? -1 : 1))

/** Compares a tail with the rows of the same snapshot; it must not leave them to be counted. */
export async function expectTailEqualsRows(
  db: Db,
  tail: LiveTail,
  siteNo: number,
  now: number,
): Promise<number> {
  const values = await compareTail(db, tail, siteNo, now)
  expect(values).toBeDefined()
  return values!
}

/**
 * Advances a tail, and compares what it counts with the rows of the same snapshot.
 * @returns how many values were compared; undefined when rows must be counted
 */
export function compareTail(
  db: Db,
  tail: LiveTail,
  siteNo: number,
  now: number,
): Promise<number | undefined> {
  return inSnapshot(db, async tx => {
    if (!(await tail.advance(tx))) return undefined
    let values = 0
    for (const slice of await tailSlices(tx, siteNo, now)) {
      expect(tail.holds(slice)).toBe(true)
      const rows = await countSliceValues(tx, siteNo, slice, DIMENSIONS)
      for (const dimension of DIMENSIONS) {
        const counted = sorted(tail.count(slice, dimension))
        expect({ dimension, counted }).toEqual({ dimension, counted: sorted(rows.get(dimension)) })
        values += counted.length
      }
    }
    return values
  })
}
