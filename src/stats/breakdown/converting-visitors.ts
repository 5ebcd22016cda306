import { type BreakdownDimension, isHitDimension } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import { invalidField } from '../../errors.ts'
import { findGoals } from '../../goals/find-goal.ts'
import { targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { PatternWork } from '../../rollups/patterns/match.ts'
import { requireSection } from '../../sharing/grant.ts'
import { withoutMoneyGoals } from '../../sharing/money-goals.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { checkGoals, lookUpTargets } from '../resolve/targets.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

/** A goal, and what converts it in a period. */
export type BreakdownTargets = ConversionTargets & { goal: GoalRecord }

interface VisitorsOfValue {
  value: string
  visitors: number
}
type SliceVisitorsOfValue = Omit<VisitorsOfValue, 'visitors'> & { visitors: Buffer | null }

/** Visitors that converted in a session with a filtered hit with the value. */
const OF_HIT_VALUES = `(
    with converted as materialized (select session_no, visitor_no from conversions group by 1, 2)
    select value, visitor_no
    from converted
    join (
      select value, session_no
      from filtered_hits
      where not is_service and session_no in (select session_no from converted)
      group by 1, 2
    ) as hit using (session_no)
  ) as converting`

const counted = (source: string) =>
  `select value, count(visitor_no) as visitors
  from (select value, visitor_no from ${source} group by 1, 2) as visitor
  group by value`

/** Visitors instead of their number, since other slices may have the same visitors. */
const listed = (source: string) =>
  `select value, array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
  from ${source}
  group by value`

const countConvertersBySessionValue = filteredQuery<undefined, VisitorsOfValue>(
  'count-converters-by-session-value',
  ['conversions'],
  counted('conversions'),
)
const countConvertersByHitValue = filteredQuery<undefined, VisitorsOfValue>(
  'count-converters-by-hit-value',
  ['conversions', 'filtered_hits'],
  counted(OF_HIT_VALUES),
)
const listConvertersBySessionValue = filteredQuery<undefined, SliceVisitorsOfValue>(
  'list-converters-by-session-value',
  ['conversions'],
  listed('conversions'),
)
const listConvertersByHitValue = filteredQuery<undefined, SliceVisitorsOfValue>(
  'list-converters-by-hit-value',
  ['conversions', 'filtered_hits'],
  listed(OF_HIT_VALUES),
)

/**
 * Returns the distinct visitors with a conversion in the range by value: by that of the session that converted, or by each value
 * that a hit of this session has in the range, be it the hour of this hit. Absent values have none.
 * @param values the only values of interest; undefined for all
 */
export async function countConvertingByValue(
  services: Pick<StatsServices, 'reads' | 'slices' | 'counter'>,
  { timezone }: Pick<StatsSite, 'timezone'>,
  resolved: ResolvedQuery,
  { goal, ...targets }: BreakdownTargets,
  value: BreakdownDimension,
  values: readonly string[] | undefined,
): Promise<Map<string, number>> {
  if (values?.length === 0) return new Map()
  const asked = { target: targetOf(goal), dimension: value, zone: timezone }
  const byColumns = await countFiltered(services, resolved, 'convertersByValue', asked)
  if (byColumns) return new Map(byColumns)
  const options = { targets, value, values, zone: timezone }
  const isOfHits = value === HOUR_OF_WEEK || isHitDimension(value)
  const list = isOfHits ? listConvertersByHitValue : listConvertersBySessionValue
  const count = isOfHits ? countConvertersByHitValue : countConvertersBySessionValue
  const rows = services.slices
    ? mergeSlices(await readSlices(services, list, resolved, options), row => row.value)
    : await count(services.reads, resolved, options)
  return new Map(rows.map(row => [row.value, row.visitors]))
}

/**
 * Returns the goal whose conversions are counted.
 * @throws AppError `forbidden` without the section `goals`; `validation_failed` for a goal that is unknown or hidden, or has an invalid
 * pattern
 */
export async function findConversionGoal(
  services: StatsServices,
  { siteNo, teamId }: StatsSite,
  goalId: string,
): Promise<GoalRecord> {
  const { reads, patterns, signal, grant } = services
  requireSection(grant, 'goals')
  const found = await findGoals(reads, siteNo, [goalId])
  return patterns.enter(teamId, signal, async () => {
    const [goal] = await withoutMoneyGoals(services, found)
    if (!goal) throw invalidField('conversion_goal', 'must be the id of a goal of the site')
    await checkGoals({ work: new PatternWork(patterns, signal) }, [goal])
    return goal
  })
}

/**
 * Returns what converts a goal in each of some periods.
 * @throws AppError `forbidden` without the section `goals`, `validation_failed` for a goal that is unknown or hidden
 */
export async function findConversionTargets(
  services: StatsServices,
  { siteNo, teamId }: StatsSite,
  goalId: string,
  periods: readonly ResolvedQuery[],
): Promise<BreakdownTargets[]> {
  const { reads, patterns, signal, grant } = services
  requireSection(grant, 'goals')
  const found = await findGoals(reads, siteNo, [goalId])
  return patterns.enter(teamId, signal, async () => {
    const goals = await withoutMoneyGoals(services, found)
    if (goals.length === 0) throw invalidField('conversion_goal', 'must be the id of a goal of the site')
    const work = new PatternWork(patterns, signal)
    const targets: BreakdownTargets[] = []
    // One after the other: a request has one place in the pattern pool.
    for (const period of periods) {
      const found = await lookUpTargets({ ...services, work }, period, goals)
      targets.push({ goal: goals[0]!, ...found })
    }
    return targets
  })
}
