import type { Span } from '../../columns/spans.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { ResolveServices } from '../resolve/targets.ts'
import type { Asked, Counted, Counter, CountName } from './counter.ts'
import { unlessTooCostly } from './refused.ts'

/**
 * Counts from columns what passes the filters of a read.
 * @returns undefined without filters, and where columns are not counted
 * @throws AppError `validation_failed` for a pattern that takes too long
 */
export const countFiltered: typeof countAsked = async (services, resolved, name, asked) =>
  isUnfiltered(resolved) ? undefined : countAsked(services, resolved, name, asked)

/**
 * The same, with or without filters.
 * @param resolved may have a narrower range than its question, or look away from the goals of the request
 * @param sessions starts of sessions that the count needs besides those with a hit in the range
 */
export async function countAsked<Name extends CountName>(
  { counter }: Pick<ResolveServices, 'counter'>,
  resolved: ResolvedQuery,
  name: Name,
  asked: Asked<Name>,
  sessions?: Span,
): Promise<Counted<Name> | undefined> {
  const { question, siteNo, start, end, goal } = resolved
  if (!counter || !question) return undefined
  const goals = goal === undefined ? question.goals.slice(question.requested) : question.goals
  const narrowed = { ...question, start: start.getTime(), end: end.getTime(), goals, sessions }
  return unlessTooCostly(() => (counter as Counter).count(name, siteNo, narrowed, asked))
}
