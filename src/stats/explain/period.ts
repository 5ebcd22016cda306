import { invalidField } from '../../platform/errors.ts'
import type { Range } from '../../platform/time/range.ts'
import { isUnfiltered, keptPart, type ResolvedQuery, wholePart } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import type { ExplainQuery, Read } from './explain-query.ts'

/** From the first moment that answers can have to the last one. */
const ALWAYS = { start: new Date('1900-01-01T00:00:00Z'), end: new Date('9999-01-01T00:00:00Z') }

/** Returns the period that is asked for, and the other one of the two. */
export async function resolvePeriod(
  services: StatsServices,
  site: StatsSite,
  query: ExplainQuery,
): Promise<{ range: Range; resolved: ResolvedQuery; other: ResolvedQuery }> {
  const { metric: _metric, dimension: _dimension, value: _value, read: _read, ...asked } = query
  const context = await resolveContext(services, site, asked)
  const { range, rangeBefore, resolved, resolvedBefore } = context
  // Conversions have details: visitors have to be those of the same time.
  const cut = (span: ResolvedQuery) => (query.conversion_goal ? keptPart(span) : span)
  if (query.period === 'previous') {
    return { range: rangeBefore, resolved: cut(resolvedBefore), other: resolved }
  }
  if (query.period === 'current') return { range, resolved: cut(resolved), other: resolvedBefore }
  if (!isUnfiltered(resolved)) {
    throw invalidField('period', 'must not be now with filters: the money report has it without them')
  }
  return { range: { ...range, ...ALWAYS }, resolved: { ...wholePart(resolved), ...ALWAYS }, other: resolved }
}

/** A breakdown knows only whole days of the time before `details_from`; all that is recorded is one part. */
export const partsWanted = (read: Read, { group, period }: ExplainQuery, { detailsFrom }: ResolvedQuery) => ({
  group: period === 'now' ? undefined : group,
  isOne: period === 'now',
  onlyDays: read === 'breakdown' && detailsFrom !== undefined,
})

/** @returns the place of the bucket that begins at a label */
export function bucketIn(parts: { start: Date }[], label: string): number {
  const at = Date.parse(label)
  const index = parts.findIndex(({ start }) => start.getTime() === at)
  if (index < 0) throw invalidField('bucket', 'must be a label of the series with the same range and group')
  return index
}
