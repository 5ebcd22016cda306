import type { Services } from '../infra/services.ts'
import type { StatsQuery } from './filters/query.ts'
import { resolveScopes } from './filters/resolve.ts'
import type { Scope } from './filters/scope.ts'
import { type LabelledBucket, previousRange, type Range, resolveRange } from './time/range.ts'

/** Services that statistics queries use. */
export type StatsServices = Pick<Services, 'reads' | 'rollups' | 'patterns' | 'now' | 'slices'> & {
  /** Aborts when the client has disconnected or the deadline has passed. */
  signal?: AbortSignal | undefined
}

/** Fields of a site that statistics queries use. */
export interface StatsSite {
  siteNo: number
  /** Team whose places in the pattern pool the queries of this site take. */
  teamId: string
  timezone: string
  currency: string
  firstEventAt: Date | null
}

/** Query context: the range, the equally long period before it, and the resolved query for each of them. */
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
