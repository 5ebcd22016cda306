import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { isReservedName, LIFECYCLE_NAMES } from '../events/reserved-names.ts'
import type { Services } from '../services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { findGoals, presentGoal } from './find-goal.ts'
import { lockGoals, MAX_GOALS } from './goal-rules.ts'
import { type Goal, type GoalBatch, isBlank } from './schema.ts'

/** Records that the lifecycle goals of the site exist; no row when this was recorded before. */
const claimLifecycleGoals = query<{ siteNo: number }, { siteNo: number }>(
  'claim-lifecycle-goals',
  `update sites
  set has_lifecycle_goals = true
  where site_no = :siteNo and not has_lifecycle_goals
  returning site_no as "siteNo"`,
)

const insertEventGoals = query<{ siteNo: number; names: readonly string[]; mostGoals: number | null }>(
  'insert-event-goals',
)

/**
 * Creates an event goal for each valid name. Skips blank, reserved and existing names, and names beyond the limit of goals.
 * @returns all goals of the site, the newest first
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function createGoalsBatch(
  { db }: Pick<Services, 'db'>,
  { siteNo }: Pick<SiteRecord, 'siteNo'>,
  { event_names }: GoalBatch,
): Promise<Goal[]> {
  const names = new Set(event_names.filter(name => !isBlank(name) && !isReservedName(name)))
  const goals = await db.begin(async transaction => {
    await lockGoals(transaction, siteNo)
    await insertEventGoals(transaction, { siteNo, names: [...names], mostGoals: MAX_GOALS })
    return findGoals(transaction, siteNo, null)
  })
  return goals.map(presentGoal)
}

/**
 * Creates the goals for lifecycle events of a payment processor, once per site and without the limit of goals. Skips goals
 * that the site has, and names that are in use.
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function createLifecycleGoals(transaction: Transaction, siteNo: number): Promise<void> {
  await lockGoals(transaction, siteNo)
  const [claimed] = await claimLifecycleGoals(transaction, { siteNo })
  if (claimed) await insertEventGoals(transaction, { siteNo, names: LIFECYCLE_NAMES, mostGoals: null })
}
