import type { Audit } from '../../access/audit/audit.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Services } from '../../platform/services.ts'
import { isReservedName, LIFECYCLE_NAMES } from '../../storage/events/reserved-names.ts'
import { definitionOf, forSite } from './definition.ts'
import { findGoal, findGoals, GOAL_COLUMNS, noSuchGoal, presentGoal } from './find-goal.ts'
import {
  checkExpression,
  checkGoal,
  type DefinitionParams,
  lockGoals,
  MAX_GOALS,
  paramsOf,
} from './goal-rules.ts'
import { type Goal, type GoalBatch, type GoalBody, type GoalRecord, isBlank } from './goal-schema.ts'

const insertGoal = query<DefinitionParams & { siteNo: number }, GoalRecord>(
  'insert-goal',
  `insert into goals (
    site_no, display_name, type, match_value, match_operator, scroll_threshold, currency, custom_props
  )
  values (
    :siteNo, :displayName, :type, :matchValue, :matchOperator, :scrollThreshold, :currency, :customProps::text::jsonb
  )
  returning ${GOAL_COLUMNS}`,
)

const replaceGoal = query<DefinitionParams & { siteNo: number; id: string }, GoalRecord>(
  'replace-goal',
  `update goals
  set
    display_name = :displayName,
    type = :type,
    match_value = :matchValue,
    match_operator = :matchOperator,
    scroll_threshold = :scrollThreshold,
    currency = :currency,
    custom_props = :customProps::text::jsonb
  where site_no = :siteNo and id = :id
  returning ${GOAL_COLUMNS}`,
)

const removeGoal = query<{ siteNo: number; id: string }, GoalRecord>(
  'remove-goal',
  `delete from goals where site_no = :siteNo and id = :id returning ${GOAL_COLUMNS}`,
)

/** Puts a definition in the place of a goal in the steps of funnels. `definition`: JSON, a step of its own. */
const keepInFunnels = query<{ siteNo: number; id: string; definition: string }>(
  'keep-goal-in-funnels',
  `update funnels
  set steps = (
    select jsonb_agg(
      case
        when step ->> 'goal' = :id::text then :definition::text::jsonb || jsonb_strip_nulls(step - 'goal')
        else step
      end
      order by number
    )
    from jsonb_array_elements(steps) with ordinality as listed (step, number)
  )
  where site_no = :siteNo and steps @> jsonb_build_array(jsonb_build_object('goal', :id::text))`,
)

type ChangeServices = Pick<Services, 'db' | 'patterns'> & { signal?: AbortSignal | undefined }
type ChangedSite = Pick<SiteRecord, 'siteNo' | 'teamId' | 'domain'>

/**
 * Creates a goal, or replaces the whole definition of the one with the given id; its id and creation time stay. A lock keeps the
 * limit and the uniqueness of goals and names correct for concurrent requests.
 * @throws AppError `validation_failed` as in `forSite`, `checkGoal` and `checkExpression`; `not_found` when the goal or its site was
 * deleted meanwhile
 */
export async function saveGoal(
  services: ChangeServices,
  site: ChangedSite,
  body: GoalBody,
  id?: string,
): Promise<Goal> {
  const goal = definitionOf(forSite(body, site))
  await checkExpression(services, site, goal)
  const { siteNo } = site
  return services.db.begin(async transaction => {
    const currency = await lockGoals(transaction, siteNo)
    const present = id === undefined ? undefined : await findGoal(transaction, siteNo, id)
    await checkGoal(transaction, { siteNo, currency }, goal, present)
    const params = { siteNo, ...paramsOf(goal) }
    const [saved] = present
      ? await replaceGoal(transaction, { ...params, id: present.id })
      : await insertGoal(transaction, params)
    if (!saved) throw noSuchGoal()
    return presentGoal(saved)
  })
}

/**
 * Deletes a goal. Funnels keep its definition.
 * @throws AppError `not_found` when the goal was deleted meanwhile
 */
export async function deleteGoal(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  { siteNo }: Pick<SiteRecord, 'siteNo'>,
  { id, displayName }: Pick<GoalRecord, 'id' | 'displayName'>,
): Promise<void> {
  await db.begin(async transaction => {
    await lockGoals(transaction, siteNo)
    const [gone] = await removeGoal(transaction, { siteNo, id })
    if (!gone) throw noSuchGoal()
    await keepInFunnels(transaction, { siteNo, id, definition: JSON.stringify(stepOf(gone)) })
    await audit(transaction, {
      action: 'goal.delete',
      object: { type: 'goal', id },
      details: { name: displayName },
    })
  })
}

/** Returns a goal as a step of a funnel with a definition of its own. */
const stepOf = ({
  displayName,
  type,
  matchOperator,
  matchValue,
  scrollThreshold,
  customProps,
}: GoalRecord) => ({
  name: displayName,
  type: type === 'page' ? 'pageview' : type,
  operator: matchOperator,
  value: matchValue,
  ...(type === 'scroll' && { scroll_threshold: scrollThreshold }),
  ...(type === 'event' && { props: customProps }),
})

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
