import { invalidField } from '../../platform/errors.ts'
import { ratio } from '../../platform/lib/numbers.ts'
import { type ResolvedQuery, wholePart } from '../filters/resolved-query.ts'
import { findGoals } from '../goals/find-goal.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow, requireSection } from '../sharing/grant.ts'
import { withoutMoneyGoals } from '../sharing/money-goals.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { countPayers, sumMrr } from './cohort-customers.ts'
import { countVisitors } from './cohort-visitors.ts'
import type { Retention, RetentionQuery } from './retention-query.ts'

const WHY_NOT =
  'Nobody who began in this range is recognized on another day: the tracking mode is cookieless, and hits have neither a visitor_id nor a user_id'

/**
 * Returns how many people of each period of the range came back, or pay, in later periods.
 * @throws AppError `forbidden` for what the reader may not see; `validation_failed` for a goal that the site does not have and for
 * too many cohorts
 */
export async function readRetention(
  services: StatsServices,
  site: StatsSite & { trackingMode: string },
  { cohort, cohort_goal: goalId, period, periods: later, measure: given, ...query }: RetentionQuery,
): Promise<Retention> {
  const measure = given ?? (cohort === 'payment' ? 'payers' : 'visitors')
  const { grant } = services
  requireSection(grant, measure === 'visitors' ? 'traffic' : 'revenue')
  const goal = cohort === 'goal' ? await findCohortGoal(services, site, goalId!) : null
  const { range, resolved } = await resolveContext(services, site, query)
  const calendar = calendarOf(range, period, later, services.now())
  const counted = await countCohorts(services, site, { measure, goal, resolved, calendar, later })
  const { sizes, leftOut } = counted
  const available = measure !== 'visitors' || site.trackingMode === 'cookie' || sizes.some(size => size > 0)
  return {
    available,
    why_not: available ? null : WHY_NOT,
    cohort,
    measure,
    period,
    left_out: leftOut,
    cohorts: available ? presentCohorts(counted, calendar, { later, now: services.now() }) : [],
  }
}

interface Counted {
  sizes: number[]
  bases: number[]
  kept: number[][]
  leftOut: number
}

interface CountedCohorts {
  measure: Retention['measure']
  goal: GoalRecord | null
  resolved: ResolvedQuery
  calendar: Calendar
  later: number
}

async function countCohorts(
  services: StatsServices,
  site: StatsSite,
  { measure, goal, resolved: given, calendar, later }: CountedCohorts,
): Promise<Counted> {
  if (measure === 'visitors') {
    const { sizes, returned, leftOut } = await countVisitors(services, site, {
      resolved: given,
      calendar,
      goal,
      later,
    })
    return { sizes, bases: sizes, kept: returned, leftOut }
  }
  // Payments are kept longer than details; those without filters count in the whole range.
  const resolved = wholePart(given)
  const count = measure === 'payers' ? countPayers : sumMrr
  return { ...(await count(services, site, { resolved, calendar, later })), leftOut: 0 }
}

/** Readers who may not see money do not see its goals either. */
async function findCohortGoal(services: StatsServices, site: StatsSite, id: string): Promise<GoalRecord> {
  const { grant, patterns, reads, signal } = services
  requireSection(grant, 'goals')
  const found = await findGoals(reads, site.siteNo, [id])
  const shown =
    mayShow(grant, 'revenue') || found.length === 0
      ? found
      : await patterns.enter(site.teamId, signal, () => withoutMoneyGoals(services, found))
  if (shown.length === 0) throw invalidField('cohort_goal', 'must be the id of a goal of the site')
  return shown[0]!
}

function presentCohorts(
  { sizes, bases, kept }: Counted,
  { periods, labels }: Calendar,
  { later, now }: { later: number; now: Date },
): Retention['cohorts'] {
  const hasBegun = (index: number) => index < periods.length && periods[index]!.start <= now
  return labels.map((label, cohort) => ({
    label,
    size: sizes[cohort]!,
    base: bases[cohort]!,
    periods: Array.from({ length: later }, (_, index) => index + 1)
      .filter(period => hasBegun(cohort + period))
      .map(period => ({
        period,
        value: kept[cohort]![period - 1]!,
        rate: ratio(100n * BigInt(kept[cohort]![period - 1]!), bases[cohort]!, 1),
        is_complete: periods[cohort + period]!.end <= now,
      })),
  }))
}
