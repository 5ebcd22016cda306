import { isUuid } from '../../access/sites/domain.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { type PageUrl, paginate, windowOf } from '../../platform/schema/pagination.ts'
import type { Services } from '../../platform/services.ts'
import { listAllGoals } from '../goals/find-goal.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import type { Grant } from '../sharing/grant.ts'
import { mayShow } from '../sharing/grant.ts'
import { withoutMoneyGoals } from '../sharing/money-goals.ts'
import type { Funnel, FunnelRecord, FunnelStep, ListFunnels, PresentedStep } from './funnel-schema.ts'
import { type StepGoal, stepGoals } from './steps.ts'

/** A row of the table; null is the window `session`. */
interface FunnelRow extends Omit<FunnelRecord, 'window' | 'steps'> {
  windowSeconds: number | null
  steps: unknown
}

export const FUNNEL_COLUMNS = `
  id,
  name,
  steps,
  step_order as "order",
  window_seconds as "windowSeconds",
  counted as "by",
  created_at as "createdAt",
  updated_at as "updatedAt"`

const selectFunnels = query<{ siteNo: number; id: string | null }, FunnelRow>(
  'select-funnels',
  `select ${FUNNEL_COLUMNS}
  from funnels
  where site_no = :siteNo and (:id::uuid is null or id = :id)`,
)

export type { FunnelRow }

export const recordOf = ({ windowSeconds, steps, ...row }: FunnelRow): FunnelRecord => ({
  ...row,
  steps: steps as FunnelStep[],
  window: windowSeconds ?? 'session',
})

/** A funnel with its steps as goals. */
export interface ResolvedFunnel {
  funnel: FunnelRecord
  goals: StepGoal[]
}

type Reader = Pick<Services, 'db' | 'patterns'> & { signal?: AbortSignal | undefined; grant: Grant | null }
type Site = Pick<SiteRecord, 'siteNo' | 'teamId'>

/**
 * Returns a funnel of a site that the reader may see: without the section `revenue`, none with a step that events of money meet.
 * @throws AppError `not_found`, the same for an invalid id, an unknown id and a funnel of another site
 */
export async function findVisibleFunnel(services: Reader, site: Site, id: string): Promise<ResolvedFunnel> {
  const funnel = await findFunnel(services.db, site.siteNo, id)
  const [visible] = await withoutMoneyFunnels(services, site, [funnel])
  if (!visible) throw noSuchFunnel()
  return visible
}

/** @throws AppError `not_found` */
async function findFunnel(db: Queryable, siteNo: number, id: string): Promise<FunnelRecord> {
  const [row] = isUuid(id) ? await selectFunnels(db, { siteNo, id }) : []
  if (!row) throw noSuchFunnel()
  return recordOf(row)
}

export const noSuchFunnel = () => new AppError('not_found', 'No such funnel')

/** Returns the funnels of a site that the reader may see, by name without case, then by id. */
export async function listFunnels(context: Reader & { pageUrl: PageUrl }, site: Site, query: ListFunnels) {
  const rows = await selectFunnels(context.db, { siteNo: site.siteNo, id: null })
  const ordered = rows
    .map(row => ({ row, key: row.name.toLowerCase() }))
    .sort((a, b) => compare(a.key, b.key) || compare(a.row.id, b.row.id))
    .map(({ row }) => recordOf(row))
  const visible = await withoutMoneyFunnels(context, site, ordered)
  const { limit, offset } = windowOf(query)
  const shown = visible.slice(offset, offset + limit).map(presentFunnel)
  return paginate(context, query, { rows: shown, total: visible.length })
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function withoutMoneyFunnels(
  services: Reader,
  { siteNo, teamId }: Site,
  funnels: FunnelRecord[],
): Promise<ResolvedFunnel[]> {
  const goals = await knownGoals(services.db, siteNo, funnels)
  const resolved = funnels.map(funnel => ({ funnel, goals: stepGoals(funnel.steps, goals) }))
  if (mayShow(services.grant, 'revenue')) return resolved
  return services.patterns.enter(teamId, services.signal, async () => {
    const visible: ResolvedFunnel[] = []
    for (const each of resolved) {
      const shown = await withoutMoneyGoals(services, each.goals)
      if (shown.length === each.goals.length) visible.push(each)
    }
    return visible
  })
}

async function knownGoals(
  db: Queryable,
  siteNo: number,
  funnels: FunnelRecord[],
): Promise<Map<string, GoalRecord>> {
  const usesGoals = funnels.some(({ steps }) => steps.some(({ goal }) => goal))
  const goals = usesGoals ? await listAllGoals(db, siteNo) : []
  return new Map(goals.map(goal => [goal.id, goal]))
}

/** Returns a funnel in the form of the API. */
export function presentFunnel({ funnel, goals }: ResolvedFunnel): Funnel {
  return {
    id: funnel.id,
    name: funnel.name,
    steps: funnel.steps.map((step, index) => presentStep(step, goals[index]!)),
    order: funnel.order,
    window: funnel.window,
    by: funnel.by,
    created_at: funnel.createdAt.toISOString(),
    updated_at: funnel.updatedAt.toISOString(),
  }
}

function presentStep(step: FunnelStep, goal: StepGoal): PresentedStep {
  const isGoal = !!step.goal
  return {
    name: goal.displayName,
    goal: step.goal ?? null,
    type: isGoal ? null : step.type!,
    operator: isGoal ? null : goal.matchOperator,
    value: isGoal ? null : goal.matchValue,
    scroll_threshold: isGoal || step.type !== 'scroll' ? null : goal.scrollThreshold,
    props: isGoal || Object.keys(goal.customProps).length === 0 ? null : goal.customProps,
  }
}
