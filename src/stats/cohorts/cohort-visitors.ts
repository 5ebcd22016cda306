import { countAsked } from '../counts/count-filtered.ts'
import type { Returns } from '../counts/returns.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { GoalRecord } from '../goals/goal-schema.ts'
import { targetOf } from '../goals/goal-target.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { Calendar } from './calendar.ts'

interface VisitorCohorts {
  /** Of the range. */
  resolved: ResolvedQuery
  calendar: Calendar
  /** Null: first visits. */
  goal: GoalRecord | null
  later: number
}

/**
 * Returns how many persons began in each period of the range, and how many of them came back in later ones.
 * @throws AppError as `countAsked`
 */
export async function countVisitors(
  services: StatsServices,
  site: StatsSite,
  { resolved: whole, calendar, goal, later }: VisitorCohorts,
): Promise<Returns> {
  const { periods, labels } = calendar
  const resolved = keptPart(whole)
  const until = periods.at(-1)!.end
  const usersSince = site.detailsFrom ?? LONG_AGO
  return countAsked(
    services,
    resolved,
    'returns',
    {
      ...{ bounds: edgesOf(periods), cohorts: labels.length, later },
      ...{ target: goal && targetOf(goal), usersSince: usersSince.getTime() },
    },
    // The first session of a user may be any earlier one.
    { sessions: { start: (goal ? resolved.start : usersSince).getTime(), end: until.getTime() } },
  )
}

const LONG_AGO = new Date('1900-01-01')
