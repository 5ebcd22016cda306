import { invalidField } from '../../errors.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { type FilteredQuery, filteredQuery } from '../sql/filtered-query.ts'
import type { RelationOptions } from '../sql/relations.ts'
import { readSlices } from '../sql/slices.ts'
import type { MomentBlock } from './moments.ts'

/** Most moments of a read: their columns take about 40 bytes each on their way. */
export const MOST_MOMENTS = 4_000_000

const TOO_MANY = `The steps are met more than ${MOST_MOMENTS} times in this range: ask for a shorter one, or for narrower steps`

export interface HitPart {
  /** From 0 for each block. */
  part: number
  /** Moments of the whole block. */
  hits: number
  moments: Buffer | null
  times: Buffer | null
}

interface MomentPart extends HitPart {
  owners: Buffer | null
  texts: Buffer | null
}

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

/**
 * Returns moments as a statement packs them.
 * @param tooMany message for too many of them
 * @throws AppError `validation_failed` then
 */
export async function fetchBlocks<Part extends HitPart>(
  services: Services,
  run: FilteredQuery<{ mostMoments: number }, Part>,
  resolved: ResolvedQuery,
  options: RelationOptions,
  tooMany: string,
): Promise<MomentBlock[]> {
  const params = { mostMoments: MOST_MOMENTS }
  const parts: (HitPart & Partial<MomentPart>)[] = await readSlices(services, run, resolved, {
    ...options,
    params,
  })
  const blocks = parts.filter(({ part }) => part === 0)
  if (blocks.reduce((sum, { hits }) => sum + hits, 0) > MOST_MOMENTS) {
    throw invalidField('range', tooMany)
  }
  const starts = [...parts.flatMap(({ part }, index) => (part === 0 ? [index] : [])), parts.length]
  return blocks.map((_, block) => {
    const ofBlock = parts.slice(starts[block], starts[block + 1])
    const joined = (column: 'moments' | 'times' | 'owners' | 'texts') =>
      Buffer.concat(ofBlock.map(part => part[column] ?? EMPTY))
    return {
      moments: joined('moments'),
      times: joined('times'),
      owners: joined('owners'),
      texts: joined('texts'),
    }
  })
}

const EMPTY = Buffer.alloc(0)
