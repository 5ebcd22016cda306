import { expect } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { StatsQuery } from '../../src/stats/filters/query.ts'
import { rollUpQueuedGoals } from '../../src/stats/goal-rollups/roll-up-goals.ts'
import { getGoalReport } from '../../src/stats/reports/goals.ts'
import { readAt } from './expect-reads.ts'
import { inProcessPool } from './in-process-pool.ts'
import { silentLog } from './log.ts'
import { readServices, readSite } from './read-services.ts'
import type { RecountGoal } from './recount-conversions.ts'
import { recountGoals } from './recount-goals.ts'
import type { World } from './recount-world.ts'
import type { TestSite } from './sites.ts'

/**
 * Counts the goals of the days that lack them.
 * @param most days at most; without it, all of them
 * @param now events of the service are counted on days that are over
 */
export async function rollUpGoals(db: Db, most = Number.POSITIVE_INFINITY, now = new Date()): Promise<void> {
  const services = { ...readServices(db, now), db, rollingUp: inProcessPool(db), log: silentLog }
  let left = most
  // One question is asked for the site itself.
  const hasTime = () => left-- >= 0
  while ((await rollUpQueuedGoals(services, now, hasTime)) && left > 0) {}
}

/** Returns how many goal rollups are in use. */
export async function countGoalDays(db: Db, { siteNo }: TestSite): Promise<number> {
  const [found] = await db<{ days: number }[]>`
    select count(*) as days
    from daily_goal_rollups
    join daily_rollups using (site_no, starts_at, ends_at)
    where site_no = ${siteNo} and day_version = daily_rollups.version`
  return found!.days
}

/** Expects that the goal report of a range equals its recount. */
export async function expectSameGoals(given: {
  db: Db
  site: TestSite
  world: World
  goals: RecountGoal[]
  range: { from: string; to: string }
}): Promise<void> {
  const { db, world, goals, range } = given
  const site = readSite(given.site, world.zone)
  const report = await getGoalReport(readServices(db, readAt(world)), site, StatsQuery.parse(range))
  expect(report).toEqual(recountGoals(world, goals, { ...range, filters: {} }))
}
