import { vi } from 'vitest'

/** An entry of the registry that a version of the service has and this one has not. */
export interface AddedDimension {
  level: 'hit' | 'session'
  column?: string
}

const REGISTRY = '../../src/platform/dimensions/registry.ts'
const FILLING = '../../src/ingestion/store/dimensions.ts'

/**
 * Loads the service again, with further dimensions in its registry: another version, as it runs beside this one during an upgrade.
 * @param added dimensions by name
 * @param fill returns the added attributes of a session, by field
 */
export async function loadVersion(
  added: Record<string, AddedDimension> = {},
  fill: (hit: { country?: string }) => Record<string, string> = () => ({}),
) {
  vi.resetModules()
  vi.doMock(REGISTRY, async load => {
    const { DIMENSION_REGISTRY, ...others } =
      await load<typeof import('../../src/platform/dimensions/registry.ts')>()
    const described = Object.entries(added).map(([name, entry]) => [
      name,
      { ...entry, description: 'Added.', example: ['a'] },
    ])
    return { ...others, DIMENSION_REGISTRY: { ...DIMENSION_REGISTRY, ...Object.fromEntries(described) } }
  })
  vi.doMock(FILLING, async load => {
    const dimensions = await load<typeof import('../../src/ingestion/store/dimensions.ts')>()
    return {
      ...dimensions,
      dimensionsOf: (hit: Parameters<typeof dimensions.dimensionsOf>[0]) => ({
        ...dimensions.dimensionsOf(hit),
        ...fill(hit),
      }),
    }
  })
  try {
    const { storeHits } = await import('../../src/ingestion/store/store.ts')
    const { rollUpAll } = await import('./roll-up.ts')
    const { BreakdownQuery } = await import('../../src/stats/breakdown/breakdown-query.ts')
    const { getBreakdown } = await import('../../src/stats/reads/breakdown.ts')
    const { readServices } = await import('./read-services.ts')
    const { expectRollupsEqualColumns } = await import('./expect-rollups.ts')
    const { DIMENSIONS_HASH } = await import('../../src/platform/dimensions/rolled-up.ts')
    const reads = { BreakdownQuery, getBreakdown, readServices, expectRollupsEqualColumns }
    return { storeHits, rollUpAll, ...reads, hash: DIMENSIONS_HASH }
  } finally {
    vi.doUnmock(REGISTRY)
    vi.doUnmock(FILLING)
    vi.resetModules()
  }
}

export type ServiceVersion = Awaited<ReturnType<typeof loadVersion>>
