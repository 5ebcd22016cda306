import type { Queryable } from '../../db/connect.ts'
import { coverWindows } from '../../rollups/daily/coverage.ts'
import { coverValues } from '../../rollups/daily/rank-values.ts'
import type { CountedPart, CountedRest, CountedValue, Ranking, Window } from '../../rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'

/** Rollups that change between two looks at them are rare: a hit of an old day came, or a day was rolled up. */
const TRIES = 3

type Services = Pick<StatsServices, 'reads' | 'counter'>

/**
 * Adds what columns count to daily rollups.
 * @param cover says which parts of the range rollups lack
 * @param count counts one of them over columns
 * @param add adds up; null when rollups lack other parts by now
 * @returns null when rollups cannot answer
 */
async function withRest<Part, Result>(
  { reads }: Pick<Services, 'reads'>,
  cover: (tx: Queryable) => Promise<Window[]>,
  count: (gap: Window) => Promise<Part[]>,
  add: (rest: CountedRest<Part>) => Promise<Result | null>,
): Promise<Result | null> {
  for (let tried = 0; tried < TRIES; tried++) {
    const gaps = await cover(reads)
    const parts = await Promise.all(gaps.map(count))
    const result = await add({ gaps, rest: parts.flat() })
    if (result !== null) return result
  }
  return null
}

const within = (resolved: ResolvedQuery, { start, end }: Window): ResolvedQuery => ({
  ...resolved,
  start: new Date(start),
  end: new Date(end),
})

/**
 * Adds what columns count of windows to the totals of daily rollups.
 * @param windows in order, without overlaps
 */
export const withTrafficRest = <Result>(
  services: Services,
  resolved: ResolvedQuery,
  windows: readonly Window[],
  add: (rest: CountedRest<CountedPart>) => Promise<Result | null>,
): Promise<Result | null> =>
  withRest(
    services,
    async tx => (await coverWindows(tx, resolved.siteNo, windows)).gaps,
    gap => countAsked(services, within(resolved, gap), 'trafficWithVisitors', boundsIn(gap, windows)),
    add,
  )

/** Returns the bounds of a gap, and those of windows in it. */
function boundsIn({ start, end }: Window, windows: readonly Window[]): number[] {
  const bounds = windows.flatMap(window => [window.start, window.end]).filter(at => at > start && at < end)
  return [...new Set([start, ...bounds, end])].sort((a, b) => a - b)
}

/** Adds what columns count of values to the counts of daily rollups. */
export const withValueRest = <Result>(
  services: Services,
  resolved: ResolvedQuery,
  asked: Pick<Ranking, 'siteNo' | 'window' | 'dimension' | 'zone'>,
  add: (rest: CountedRest<CountedValue>) => Promise<Result | null>,
): Promise<Result | null> =>
  withRest(
    services,
    async tx => (await coverValues(tx, asked)).gaps,
    gap =>
      countAsked(services, within(resolved, gap), 'valuesWithVisitors', {
        dimension: asked.dimension,
        zone: asked.zone ?? 'UTC',
      }),
    add,
  )
