import { invalidField } from '../../errors.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import type { FilteredQuery } from '../sql/filtered-query.ts'
import type { RelationOptions } from '../sql/relations.ts'
import { readSlices } from '../sql/slices.ts'
import type { MomentBlock } from './moments.ts'

/** Most moments of a read: their columns take about 40 bytes each on their way. */
export const MOST_MOMENTS = 4_000_000

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

type Services = Pick<StatsServices, 'reads' | 'slices'>

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
  const blocks = blocksOf(parts)
  if (blocks.reduce((sum, [first]) => sum + first!.hits, 0) > MOST_MOMENTS) {
    throw invalidField('range', tooMany)
  }
  return blocks.map(ofBlock => {
    const joined = (column: 'moments' | 'times' | 'owners' | 'texts') => joinColumn(ofBlock, column)
    return {
      moments: joined('moments'),
      times: joined('times'),
      owners: joined('owners'),
      texts: joined('texts'),
    }
  })
}

/** Groups rows into the blocks that were cut into them: each block begins with part 0. */
export function blocksOf<Part extends { part: number }>(parts: Part[]): Part[][] {
  const starts = parts.flatMap(({ part }, index) => (part === 0 ? [index] : []))
  return starts.map((start, block) => parts.slice(start, starts[block + 1]))
}

/** Returns the bytes of a column of a block, which its parts hold. */
export const joinColumn = <Column extends string>(
  block: { [Name in Column]?: Buffer | null }[],
  column: Column,
): Buffer => Buffer.concat(block.map(part => part[column] ?? EMPTY))

const EMPTY = Buffer.alloc(0)
