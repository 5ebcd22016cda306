import type { Db } from '../../db/connect.ts'
import { findGoals } from '../../goals/find-goal.ts'
import { goalKey } from '../../goals/goal-key.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { limitTime } from '../../lib/time-budget.ts'
import {
  dequeue,
  putOff,
  type QueuedSite,
  requeue,
  selectQueued,
  selectUncounted,
  settleDays,
  type UncountedDay,
} from '../../rollups/goals/goal-queue.ts'
import { type ConversionSlice, knownIn } from '../../rollups/goals/slice-conversions.ts'
import { type GoalDayToCount, runTask } from '../../rollups/protocol.ts'
import type { Job } from '../../rollups/scheduler.ts'
import { prepareServiceDays } from '../../rollups/service-events/prepare-days.ts'
import type { Log } from '../../runtime/log.ts'
import type { Services } from '../../services.ts'
import type { Pool } from '../../threads/pool.ts'
import { listInHits } from '../resolve/goal-values.ts'
import { findRollupTargets } from '../resolve/rollup-targets.ts'
import { GoalRefused } from '../resolve/targets.ts'

/** Sites and days that are read at once. */
const MOST_SITES = 100
const MOST_DAYS = 20
/** Time limit of one run: other jobs wait this long. A day that has begun is finished. */
const BUDGET_MS = 3_000
/** A site whose goals could not be counted is tried again after this time. */
const PAUSE_MS = 15 * MINUTE_MS
/** Later than every day. */
const LATEST = new Date('9999-01-01T00:00:00Z')

interface FillServices extends Pick<Services, 'reads' | 'patterns'> {
  db: Db
  log: Log
  /** Rolls days up, and may take longer than the threads that answer readers. */
  rollingUp: Pool
}

/**
 * Counts the goals of sites on the days that have daily rollups and lack them: new and changed goals, new days, and days that have grown or
 * were built again. Changes no number that a reader gets. It is safe to stop it at any point, and to run it twice at the same time.
 * @returns true when there is more to do
 */
export async function rollUpQueuedGoals(
  services: FillServices,
  now: Date,
  hasTime = limitTime(BUDGET_MS),
): Promise<boolean> {
  const { db, log } = services
  const sites = await selectQueued(db, { now, limit: MOST_SITES })
  for (const site of sites) {
    if (!hasTime()) return true
    const { siteNo, version, teamId } = site
    try {
      const outcome = teamId === null ? 'done' : await countSite(services, site, teamId, now, hasTime)
      if (outcome !== 'done') {
        await requeue(db, { siteNo })
        if (outcome === 'more') return true
        continue
      }
      await dequeue(db, { siteNo, version })
    } catch (error) {
      // The goals of other sites must not wait for it.
      await putOff(db, { siteNo, dueAt: new Date(now.getTime() + PAUSE_MS) })
      log.warn({ siteNo, reason: (error as Error).message }, 'goals of a site not rolled up')
    }
  }
  return sites.length === MOST_SITES
}

/**
 * Counts the goals of a site, and then the events that the service wrote, on days that are over.
 * @returns `more` when time ran out; `busy` when days could not be prepared, because a transaction changes events of the service
 */
async function countSite(
  services: FillServices,
  site: QueuedSite,
  teamId: string,
  now: Date,
  hasTime: () => boolean,
): Promise<'done' | 'more' | 'busy'> {
  if (!(await rollUpSite(services, site, teamId, hasTime))) return 'more'
  const days = await prepareServiceDays(services.db, site.siteNo, now)
  if (!days) return 'busy'
  for (const day of days) {
    if (!hasTime()) return 'more'
    await runTask(services.rollingUp, 'countServiceDay', day)
  }
  return 'done'
}

/** @returns false when time ran out */
async function rollUpSite(
  services: FillServices,
  { siteNo }: QueuedSite,
  teamId: string,
  hasTime: () => boolean,
): Promise<boolean> {
  const { db, rollingUp } = services
  let goals = await findGoals(db, siteNo, null)
  await settleDays(db, siteNo, goals.map(goalKey))
  let before = LATEST
  while (goals.length > 0) {
    const days = await selectUncounted(db, { siteNo, goals: goals.map(goalKey), before, limit: MOST_DAYS })
    for (const day of days) {
      if (!hasTime()) return false
      const parts = await partsOf(services, { siteNo, teamId }, day, goals)
      // A goal that is too costly to look for reads rows; it would be on the next day, too.
      goals = goals.filter(goal => !parts.refused.has(goal))
      if (goals.length === 0) break
      const { start, end, dayVersion, version, rolledUpTo } = day
      const input = { siteNo, start, end, dayVersion, version, rolledUpTo, parts: parts.counted }
      await runTask(rollingUp, 'rollUpGoals', input)
      before = new Date(start)
    }
    if (days.length < MOST_DAYS) break
  }
  return true
}

interface Parts {
  counted: GoalDayToCount['parts']
  refused: Set<GoalRecord>
}

/** Returns what a day lacks: the newest rows of the goals that it counts, and all rows of the others. */
async function partsOf(
  services: FillServices,
  site: { siteNo: number; teamId: string },
  day: UncountedDay,
  goals: readonly GoalRecord[],
): Promise<Parts> {
  const { start, end, rolledUpTo, goalsTo } = day
  const isCounted = (goal: GoalRecord) =>
    goalsTo !== null && (day.goals === null || day.goals.includes(goalKey(goal)))
  const parts: Parts = { counted: [], refused: new Set() }
  for (const [from, all] of [
    [goalsTo, goals.filter(isCounted)],
    [null, goals.filter(goal => !isCounted(goal))],
  ] as const) {
    let left = all
    while (left.length > 0) {
      const slice: ConversionSlice = { start, end, from, to: rolledUpTo }
      const found = await targetsOf(services, site, slice, left)
      if ('refused' in found) {
        parts.refused.add(found.refused)
        left = left.filter(goal => goal !== found.refused)
        continue
      }
      const counted = left.map(goal => ({ key: goalKey(goal), currency: goal.currency ?? '' }))
      parts.counted.push({ goals: counted, from, targets: found })
      break
    }
  }
  return parts
}

/** @returns the goal that was refused, when there is one */
async function targetsOf(
  services: FillServices,
  site: { siteNo: number; teamId: string },
  slice: ConversionSlice,
  goals: readonly GoalRecord[],
) {
  try {
    const { rows } = await findRollupTargets(services, site, [knownIn(slice)], goals, (span, kinds) =>
      listInHits(services.reads, span, kinds),
    )
    return rows[0]!.targets
  } catch (error) {
    if (!(error instanceof GoalRefused)) throw error
    return { refused: goals.find(({ id }) => id === error.goal.id)! }
  }
}

/** Runs beside the rollups of days: those queue what it does. */
export const goalRollupJobs = (services: Omit<FillServices, 'db'>): Job[] => [
  {
    name: 'roll up goals',
    everyMs: 5_000,
    run: ({ db }, now) => rollUpQueuedGoals({ ...services, db }, now),
  },
]
