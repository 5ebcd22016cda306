import type { AppError } from '../../platform/errors.ts'
import type { Span } from '../../storage/columns/spans.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { ResolveServices } from '../resolve/check-goals.ts'
import type { Asked, Counted, Counter, CountName } from './counter.ts'
import { CountRefused, type Refusal, refusalError } from './refused.ts'

/**
 * Counts over columns.
 * @param resolved may have a narrower range than its question
 * @param options.sessions starts of sessions that the count needs besides those with a hit in the range
 * @param options.errorOf what is thrown when nothing is counted
 * @throws AppError `validation_failed` for a pattern or goal that takes too long, and for a range with too many hits; `preparing` while
 * columns are made
 */
export async function countAsked<Name extends CountName>(
  { counter }: Pick<ResolveServices, 'counter'>,
  resolved: ResolvedQuery,
  name: Name,
  asked: Asked<Name>,
  {
    sessions,
    errorOf = refusalError,
  }: { sessions?: Span; errorOf?: (refusal: Refusal) => AppError | Promise<AppError> } = {},
): Promise<Counted<Name>> {
  const { question, siteNo, start, end } = resolved
  const narrowed = { ...question, start: start.getTime(), end: end.getTime(), sessions }
  try {
    return await (counter as Counter).count(name, siteNo, narrowed, asked)
  } catch (error) {
    throw error instanceof CountRefused ? await errorOf(error.refusal) : error
  }
}
