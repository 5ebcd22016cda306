import { allSpellings } from '../../events/source-spellings.ts'
import { findGoals } from '../../goals/find-goal.ts'
import { targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { Question } from '../counts/question.ts'
import type { Filters } from '../filters/query.ts'
import { propertiesOf } from '../filters/resolved-query.ts'
import type { ResolveServices } from './targets.ts'

/**
 * Returns what the filters of a request ask of columns, for each of several time spans. Patterns stay patterns: count functions compare
 * the texts of the site themselves.
 */
export async function questionsOf(
  { reads }: Pick<ResolveServices, 'reads'>,
  siteNo: number,
  given: Filters,
  spans: readonly TimeSpan[],
): Promise<Question[]> {
  const filters: Question['filters'] = []
  for (const { dimension, condition } of given.dimensions) {
    const isSpelled = dimension === 'source' && ['is', 'is_not'].includes(condition.operator)
    const values = isSpelled ? await allSpellings(reads, siteNo, condition.values) : condition.values
    filters.push({ dimension, condition: { ...condition, values } })
  }
  const lists = [...(given.goalIds.length > 0 ? [given.goalIds] : []), ...(given.segmentGoalIds ?? [])]
  const goals: GoalRecord[] = lists.length > 0 ? await findGoals(reads, siteNo, lists.flat()) : []
  const targets = lists.map(ids => {
    const wanted = new Set(ids.map(id => id.toLowerCase()))
    return goals.filter(({ id }) => wanted.has(id)).map(targetOf)
  })
  return spans.map(({ start, end }) => ({
    start: start.getTime(),
    end: end.getTime(),
    filters,
    properties: propertiesOf(given),
    goals: targets,
    requested: given.goalIds.length > 0 ? 1 : 0,
  }))
}
