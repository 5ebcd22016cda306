import type { TimedDimension } from '../../dimensions/rolled-up.ts'
import { type OccurrencePage, runTask } from '../../rollups/protocol.ts'
import type { Services } from '../../services.ts'
import { type Bucket, boundsOf, toWindow } from '../../time/range.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from './rank.ts'

interface Subject {
  dimension: TimedDimension
  value: string
}

/**
 * Returns how often a value occurred in each bucket, from the times in daily rollups.
 * @param buckets of the range of `resolved`, not none
 * @returns undefined when hits must be read: there are filters, or the days are not rolled up
 */
export async function countTimesRolledUp(
  { rollups }: Pick<Services, 'rollups'>,
  resolved: ResolvedQuery,
  subject: Subject,
  buckets: readonly Bucket[],
): Promise<number[] | undefined> {
  if (!isUnfiltered(resolved)) return undefined
  const bounds = boundsOf(buckets).map(bound => bound.getTime())
  const input = { siteNo: resolved.siteNo, window: toWindow(keptPart(resolved)), ...subject, bounds }
  return (await runTask(rollups, 'countValueTimes', input)) ?? undefined
}

/** Returns where a page of the occurrences of a value lies, the newest first; undefined as for `countTimesRolledUp`. */
export async function locateRolledUp(
  { rollups }: Pick<Services, 'rollups'>,
  resolved: ResolvedQuery,
  subject: Subject,
  page: PageWindow,
): Promise<OccurrencePage | undefined> {
  if (!isUnfiltered(resolved)) return undefined
  const input = { siteNo: resolved.siteNo, window: toWindow(keptPart(resolved)), ...subject, ...page }
  return (await runTask(rollups, 'locateValueTimes', input)) ?? undefined
}
