import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { fetchBlocks, MOST_MOMENTS } from '../moments/fetch-blocks.ts'
import type { MomentBlock } from '../moments/moments.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { RelationOptions } from '../sql/relations.ts'

const TOO_MANY = `The steps are met more than ${MOST_MOMENTS} times in this range: ask for a shorter one, or for narrower steps`

const packFunnelMoments = filteredQuery<
  { mostMoments: number },
  {
    part: number
    hits: number
    moments: Buffer | null
    times: Buffer | null
    owners: Buffer | null
    texts: Buffer | null
  }
>('pack-funnel-moments', ['funnel_moments'])

const packUnitHits = filteredQuery<
  { mostMoments: number },
  { part: number; hits: number; moments: Buffer | null; times: Buffer | null; owners: Buffer | null }
>('pack-unit-hits', ['unit_hits'])

type Services = Pick<StatsServices, 'reads' | 'slices'>

/**
 * Returns the moments at which the steps of a funnel are met.
 * @throws AppError `validation_failed` for too many of them
 */
export function fetchMoments(
  services: Services,
  resolved: ResolvedQuery,
  options: RelationOptions,
): Promise<MomentBlock[]> {
  return fetchBlocks(services, packFunnelMoments, resolved, options, TOO_MANY)
}

/**
 * Returns all pageviews and events of units as moments that meet no step.
 * @throws as `fetchMoments`
 */
export function fetchUnitHits(
  services: Services,
  resolved: ResolvedQuery,
  options: RelationOptions,
): Promise<MomentBlock[]> {
  return fetchBlocks(services, packUnitHits, resolved, options, TOO_MANY)
}
