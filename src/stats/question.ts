import type { Services } from '../infra/services.ts'
import type { StatsQuery } from './filters/query.ts'
import { resolveScopes } from './filters/resolve.ts'
import type { Scope } from './filters/scope.ts'
import { type LabelledBucket, previousRange, type Range, resolveRange } from './time/range.ts'

/** What reads of statistics take from the world. */
export type StatsServices = Pick<Services, 'reads' | 'rollups' | 'patterns' | 'now' | 'slices'> & {
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined
}

/** What they need to know of a site. */
export interface StatsSite {
  siteNo: number
  /** Whose places patterns of its reads take. */
  teamId: string
  timezone: string
  currency: string
  firstEventAt: Date | null
}

/** The days that are asked about, the same number just before, and what of them passes the filters. */
export interface Question {
  range: Range
  before: Range
  scope: Scope
  scopeBefore: Scope
}

/** @throws AppError as `resolveScopes` */
export async function readQuestion(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<Question> {
  const clock = { zone: site.timezone, now: services.now(), firstEventAt: site.firstEventAt }
  const range = resolveRange(query, clock)
  const before = previousRange(range)
  const [scope, scopeBefore] = await resolveScopes(services, site, query, [range, before])
  return { range, before, scope: scope!, scopeBefore: scopeBefore! }
}

/** Where the buckets of a series begin, for `width_bucket`. */
export const boundsOf = (buckets: readonly LabelledBucket[]): Date[] => buckets.map(({ start }) => start)
