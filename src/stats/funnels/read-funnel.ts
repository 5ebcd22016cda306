import { type Dimension, sectionOf } from '../../platform/dimensions/dimensions.ts'
import { ratio } from '../../platform/lib/numbers.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { Services } from '../../platform/services.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { type GoalTarget, targetOf } from '../goals/goal-target.ts'
import { resolveFollowed, type StatsServices, type StatsSite } from '../query-context.ts'
import { findVisibleFunnel } from '../saved-funnels/find-funnel.ts'
import type { FunnelRules } from '../saved-funnels/funnel-schema.ts'
import {
  goalsOfSteps,
  isOwnDefinition,
  noSuchStepGoal,
  type StepGoal,
  stepsForSite,
} from '../saved-funnels/steps.ts'
import { mayShow, requireSection } from '../sharing/grant.ts'
import { withoutMoneyGoals } from '../sharing/money-goals.ts'
import type { FunnelCounts, StepCount } from './count-chains.ts'
import type { FunnelQuery, FunnelReport, SavedFunnelQuery, StepReport } from './funnel-query.ts'

/** Rows of a breakdown. */
const MOST_ROWS = 20

type ReadQuery = Omit<SavedFunnelQuery, 'funnel'>

/**
 * Returns how many visitors or sessions reach the steps that the request defines.
 * @throws AppError `forbidden` for steps that the reader may not ask about; `validation_failed` for a goal that the site does not have,
 * and a pattern that is invalid or too costly
 */
export async function readFunnel(
  services: StatsServices,
  site: StatsSite & { domain: string },
  { steps: given, order, window, by, ...query }: FunnelQuery,
): Promise<FunnelReport> {
  const steps = stepsForSite(given, site)
  for (const { type } of steps) {
    if (type) requireSection(services.grant, type === 'pageview' || type === 'scroll' ? 'pages' : 'events')
  }
  const goals = await goalsOfSteps(services.reads, site.siteNo, steps)
  await requireNoMoney(services, site, goals)
  return reportFunnel(services, site, { steps, order, window, by }, goals, query)
}

/**
 * Does the same for a saved funnel.
 * @throws AppError `not_found` for a funnel that the site does not have, or that the reader may not see
 */
export async function readSavedFunnel(
  services: StatsServices & Pick<Services, 'db'>,
  site: StatsSite,
  { funnel: id, ...query }: SavedFunnelQuery,
): Promise<FunnelReport> {
  const { funnel, goals } = await findVisibleFunnel(services, site, id)
  return reportFunnel(services, site, funnel, goals, query)
}

/** Refuses steps that events of money can meet to readers who may not see money: counts of them would show it. */
async function requireNoMoney(
  services: StatsServices,
  { teamId }: StatsSite,
  goals: StepGoal[],
): Promise<void> {
  if (mayShow(services.grant, 'revenue')) return
  const shown = await services.patterns.enter(teamId, services.signal, () =>
    withoutMoneyGoals(services, goals),
  )
  const hidden = goals.findIndex(goal => !shown.includes(goal))
  if (hidden < 0) return
  if (isOwnDefinition(goals[hidden]!)) requireSection(services.grant, 'revenue')
  throw noSuchStepGoal(hidden)
}

async function reportFunnel(
  services: StatsServices,
  site: StatsSite,
  rules: FunnelRules,
  goals: StepGoal[],
  { dimension, ...query }: ReadQuery,
): Promise<FunnelReport> {
  if (dimension) requireSection(services.grant, sectionOf(dimension))
  const windowMs = rules.window === 'session' ? DAY_MS : rules.window * 1_000
  const { current, previous, comparison } = await resolveFollowed(services, site, query, windowMs)
  const count = (period: typeof current, rows: number | string[]) =>
    countFunnel(services, { rules, goals, windowMs, dimension }, period, rows)
  const counts = await count(current, MOST_ROWS)
  const before =
    previous &&
    (await count(
      previous,
      counts.rows.map(({ value }) => value),
    ))
  const present = (steps: StepCount[]) => presentSteps(goals, steps)
  return {
    by: rules.by,
    order: rules.order,
    window: rules.window,
    steps: present(counts.steps),
    ...(before && { previous: { steps: present(before.steps) }, comparison: comparison! }),
    ...(dimension && {
      values: counts.values,
      rows: counts.rows.map(({ value, steps }, index) => ({
        value: value || '(none)',
        steps: present(steps),
        ...(before && { previous: { steps: present(before.rows[index]!.steps) } }),
      })),
    }),
  }
}

interface CountedFunnel {
  rules: FunnelRules
  goals: StepGoal[]
  windowMs: number
  dimension: Dimension | undefined
}

async function countFunnel(
  services: StatsServices,
  { rules: { order, window, by }, goals, windowMs, dimension }: CountedFunnel,
  { range, resolved: whole }: { range: { end: Date }; resolved: ResolvedQuery },
  rows: number | string[],
): Promise<FunnelCounts> {
  const resolved = keptPart(whole)
  const isWithinSession = window === 'session' || by === 'session'
  const hasOwners = isWithinSession && by === 'visitor'
  const rules = { steps: goals.length, windowMs, isStrict: order === 'strict' }
  return countAsked(services, resolved, 'funnel', {
    ...{ steps: goals.map(stepTarget), rules, isWithinSession, hasOwners },
    ...{ startsBefore: range.end.getTime(), dimension, rows },
  })
}

/** Returns what converts a step, named as in the request when it cannot be looked for. */
const stepTarget = (goal: StepGoal, step: number): GoalTarget =>
  isOwnDefinition(goal)
    ? { ...targetOf({ ...goal, id: undefined }), field: `steps.${step}.value` }
    : { ...targetOf(goal), field: `steps.${step}.goal` }

function presentSteps(goals: StepGoal[], steps: StepCount[]): StepReport[] {
  return steps.map(({ count, twiceMedianMs }, index) => {
    const before = index === 0 ? count : steps[index - 1]!.count
    return {
      name: goals[index]!.displayName,
      count,
      conversion_rate: ratio(100 * count, steps[0]!.count, 1),
      step_rate: ratio(100 * count, before, 1),
      drop_off: before - count,
      median_seconds: twiceMedianMs === null ? null : ratio(twiceMedianMs, 2_000, 2),
    }
  })
}
