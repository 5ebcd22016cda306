import { expect, test } from 'vitest'
import { readQuery } from '../../src/http/api/query.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { refreshAggregate } from '../../src/storage/rollups/aggregates.ts'
import { compressSettledChunks } from '../../src/storage/rollups/columnstore.ts'
import { OPEN_MS } from '../../src/storage/rollups/watermarks.ts'
import { testDatabase, useDatabase } from '../support/database.ts'
import { expectSameReads, readAt } from '../support/expect-reads.ts'
import { randomComparison } from '../support/random-comparison.ts'
import { randomFilters, randomRange } from '../support/random-filters.ts'
import { randomGoals } from '../support/random-goals.ts'
import { randomVisits } from '../support/random-visits.ts'
import { recountSessions } from '../support/recount.ts'
import type { RecountGoal } from '../support/recount-conversions.ts'
import { randomMoney, storeMoney } from '../support/recount-money.ts'
import { worldOf } from '../support/recount-world.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { hasUsualCases, runs, seeds, sweep } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { replaceGoals, storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'
import { within } from './stored-stream.ts'

const database = useDatabase(testDatabase)

const STREAMS = { timely: runs(3), late: runs(5) }
const ROUNDS = 2
const LONG_AFTER = new Date(Date.UTC(2026, 5, 1))

/** Times at which the days of a stream are rolled up as soon as they end, so that many of their hits are late; the streams use them in turn. */
const ROLLUP_TIMES = [
  ...['after all hits', 'after each batch', 'after each batch but the last third', 'in the middle'],
  'never',
] as const

/**
 * Resets the watermark and all rollups, so that the days of the next stream are rolled up from the start. The sites of other streams are
 * deleted: otherwise their days would be rolled up again, too.
 */
async function startAnew(db: Db, { siteNo }: TestSite): Promise<void> {
  await db`update sites set deleted_at = now() where deleted_at is null and site_no <> ${siteNo}`
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
  await db`delete from rollup_spans`
  await db`delete from daily_rollups`
}

/** Returns the number of rolled-up days of a site, how many are dirty, and how many of its hits are of days that are not rolled up. */
async function stateOf(db: Db, { siteNo }: TestSite) {
  const [state] = await db<{ days: number; dirty: number; others: number }[]>`
    select
      count(*) as days,
      count(*) filter (where exists (
        select from dirty_buckets
        where aggregate = 'daily_rollups' and dirty_buckets.site_no = daily_rollups.site_no and bucket >= starts_at and bucket < ends_at
      )) as dirty,
      (
        select count(*) from events
        where events.site_no = ${siteNo} and not exists (
          select from daily_rollups
          where daily_rollups.site_no = events.site_no and at >= starts_at and at < ends_at
        )
      ) as others
    from daily_rollups
    where site_no = ${siteNo}`
  return state!
}

/** Gives goals ids that are unique over all sites, because each run creates its goals again. */
function numbered(goals: RecountGoal[], prefix: number): RecountGoal[] {
  const hex = prefix.toString(16).padStart(8, '0')
  return goals.map((goal, index) => ({
    ...goal,
    id: `${hex}-0000-4000-8000-${String(index).padStart(12, '0')}`,
    display_name: `${goal.display_name} (${index})`,
  }))
}

test.each(sweep(['late', 'timely'] as const))(
  'stats of streams with %s hits: every read equals a recount, with any filter',
  async arrival => {
    const seen = { days: 0, dirty: 0, others: 0 }
    for (const seed of seeds(STREAMS[arrival])) {
      const rollupTime = ROLLUP_TIMES[(seed - 1) % ROLLUP_TIMES.length]!
      const stream = randomVisits(seed)
      const site = await createTestSite(database.db, { timezone: stream.zone })
      const recount = recountSessions(stream[arrival])
      const world = worldOf(stream.hits, recount, stream.zone)
      await startAnew(database.db, site)
      const batches = withoutRepeatedDrops(stream[arrival], recount.dropped)
      let batchNo = 0
      await storeVisits(database.db, site, batches, async now => {
        batchNo += 1
        const isLast = batchNo > (batches.length * 2) / 3
        const isRolledUp = rollupTime === 'after each batch but the last third' && !isLast
        if (rollupTime === 'after each batch' || isRolledUp)
          await rollUpAll(database.db, new Date(now + OPEN_MS))
      })
      if (rollupTime === 'after all hits') await rollUpAll(database.db, LONG_AFTER)
      if (rollupTime === 'in the middle') {
        const middle = world.hits[Math.floor(world.hits.length / 2)]
        await rollUpAll(database.db, new Date((middle?.at ?? 0) + OPEN_MS))
      }
      const state = await stateOf(database.db, site)
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += state[key]
      const money = randomMoney(seed, world)
      await storeMoney(database.db, site, money)
      if (seed % 2 === 0) await refreshAggregate(database.db, 'hits', LONG_AFTER)
      if (seed % 4 === 0) await compressSettledChunks(database.db, LONG_AFTER)
      for (let round = 0; round < ROUNDS; round++) {
        const number = (seed * 3 + round) * 2 + (arrival === 'late' ? 1 : 0)
        const given = round === 0 ? {} : randomFilters(number, world)
        const all = numbered([...randomGoals(number, world, 6), ...(given.goal ?? [])], number)
        const filters = given.goal ? { ...given, goal: all.slice(6) } : given
        await replaceGoals(database.db, site, all)
        const now = readAt(world)
        const range = randomComparison(number, world, randomRange(number, world), now.getTime())
        const query = { ...range, filters }
        const compared = { db: database.db, site, world, goals: all, money, query, number }
        await within({ seed, rollupTime, round, zone: stream.zone, ...query }, expectSameReads(compared))
      }
    }
    // Otherwise the reads would not cover all kinds of rollups; timely hits leave no dirty days.
    const expected = arrival === 'late' ? seen : { days: seen.days, others: seen.others }
    if (hasUsualCases && STREAMS[arrival] >= ROLLUP_TIMES.length)
      expect(Object.values(expected)).not.toContain(0)
  },
)

test('filters: repeated values and operators of one parameter are merged', () => {
  const { input } = readQuery('/x?path=/a&path=/b&path[contains]=c', new Set(['path']))
  expect(input).toEqual({ path: { is: ['/a', '/b'], contains: 'c' } })
})
