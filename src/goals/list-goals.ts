import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { type PageUrl, paginate, windowOf } from '../schema/pagination.ts'
import type { Services } from '../services.ts'
import type { SiteRecord } from '../sites/schema.ts'
import { findGoals, presentGoal } from './find-goal.ts'
import type { GoalRecord, ListGoals } from './schema.ts'

interface Named {
  id: string
  displayName: string
}

const selectGoalNames = query<{ siteNo: number }, Named>(
  'select-goal-names',
  'select id, display_name as "displayName" from goals where site_no = :siteNo',
)

/** Returns a page of the site's goals, sorted by display name. */
export async function listGoals(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: Pick<SiteRecord, 'siteNo'>,
  { search = '', ...query }: ListGoals,
) {
  const wanted = search.toLowerCase()
  const named = await selectGoalNames(context.db, { siteNo })
  const found = inOrder(named.filter(({ displayName }) => displayName.toLowerCase().includes(wanted)))
  const { limit, offset } = windowOf(query)
  const ids = found.slice(offset, offset + limit).map(({ id }) => id)
  const goals = ids.length > 0 ? await findGoals(context.db, siteNo, ids) : []
  return paginate(context, query, { rows: inOrder(goals).map(presentGoal), total: found.length })
}

/** Returns all goals of the site, sorted by display name. */
export async function listAllGoals(db: Queryable, siteNo: number): Promise<GoalRecord[]> {
  return inOrder(await findGoals(db, siteNo, null))
}

/** Sorts by display name without case, then by id. Not in SQL: databases with other locales map case differently. */
function inOrder<Goal extends Named>(goals: Goal[]): Goal[] {
  return goals
    .map(goal => ({ goal, key: goal.displayName.toLowerCase() }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.goal.id, b.goal.id))
    .map(({ goal }) => goal)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
