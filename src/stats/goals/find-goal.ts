import { isUuid } from '../../access/sites/domain.ts'
import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { type PageUrl, paginate, windowOf } from '../../platform/schema/pagination.ts'
import type { Goal, GoalRecord, ListGoals } from './goal-schema.ts'

export const GOAL_COLUMNS = `
  id,
  display_name as "displayName",
  type,
  match_value as "matchValue",
  match_operator as "matchOperator",
  scroll_threshold as "scrollThreshold",
  currency,
  custom_props as "customProps",
  created_at as "createdAt"`

const selectGoals = query<{ siteNo: number; ids: string[] | null }, GoalRecord>(
  'select-goals',
  `select ${GOAL_COLUMNS}
  from goals
  where site_no = :siteNo and (:ids::uuid[] is null or id = any(:ids))
  order by goal_no desc`,
)

/**
 * Returns goals of a site, the newest first.
 * @param ids ids of the goals to return; null for all
 */
export function findGoals(db: Queryable, siteNo: number, ids: string[] | null): Promise<GoalRecord[]> {
  return selectGoals(db, { siteNo, ids })
}

/**
 * Returns a goal of a site.
 * @throws AppError `not_found`, the same for an invalid id, an unknown id and a goal of another site
 */
export async function findGoal(db: Queryable, siteNo: number, id: string): Promise<GoalRecord> {
  const [goal] = isUuid(id) ? await findGoals(db, siteNo, [id]) : []
  if (!goal) throw noSuchGoal()
  return goal
}

export function noSuchGoal(): AppError {
  return new AppError('not_found', 'No such goal')
}

/** Returns the goal in the form of the API. */
export function presentGoal(goal: GoalRecord): Goal {
  return {
    id: goal.id,
    display_name: goal.displayName,
    type: goal.type,
    match_value: goal.matchValue,
    match_operator: goal.matchOperator,
    scroll_threshold: goal.scrollThreshold,
    currency: goal.currency,
    custom_props: goal.customProps,
    created_at: goal.createdAt.toISOString(),
  }
}

/** Returns a page of some goals of a site, in their order. */
export function pageOfGoals(
  context: { pageUrl: PageUrl },
  all: GoalRecord[],
  { search = '', ...query }: ListGoals,
) {
  const wanted = search.toLowerCase()
  const found = all.filter(({ displayName }) => displayName.toLowerCase().includes(wanted))
  const { limit, offset } = windowOf(query)
  const rows = found.slice(offset, offset + limit).map(presentGoal)
  return paginate(context, query, { rows, total: found.length })
}

/**
 * Returns all goals of the site, sorted by display name without case, then by id. Not sorted in SQL: databases with other locales
 * map case differently.
 */
export async function listAllGoals(db: Queryable, siteNo: number): Promise<GoalRecord[]> {
  const goals = await findGoals(db, siteNo, null)
  return goals
    .map(goal => ({ goal, key: goal.displayName.toLowerCase() }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.goal.id, b.goal.id))
    .map(({ goal }) => goal)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
