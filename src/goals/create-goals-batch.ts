import { statement, type Transaction } from '../infra/db.ts'
import type { Services } from '../infra/services.ts'
import { isReservedName, LIFECYCLE_NAMES } from '../ingestion/reserved-names.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { lockGoals, MAX_GOALS } from './admission.ts'
import { findGoals } from './find-goal.ts'
import { presentGoal } from './present-goal.ts'
import { type Goal, type GoalBatch, isBlank } from './schema.ts'

const claimLifecycleGoals = statement('claim-lifecycle-goals')
const insertEventGoals = statement('create-event-goals')

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
    await insertEventGoals(transaction, siteNo, [...names], MAX_GOALS)
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
  const [claimed] = await claimLifecycleGoals(transaction, siteNo)
  if (claimed) await insertEventGoals(transaction, siteNo, LIFECYCLE_NAMES, null)
}
