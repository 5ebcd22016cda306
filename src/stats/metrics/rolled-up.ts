import type { Queryable } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { toWindow } from '../../platform/time/range.ts'
import { coverWindows, type WindowsCoverage } from '../../storage/rollups/daily/coverage.ts'
import { coverValues } from '../../storage/rollups/daily/rank-values.ts'
import { shareRolledUp } from '../../storage/rollups/daily/share-rolled-up.ts'
import type {
  Changed,
  CountedPart,
  CountedRest,
  CountedValue,
  Ranking,
  Window,
} from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { Asked, Counted, CountName } from '../counts/counter.ts'
import { type Refusal, refusalError } from '../counts/refused.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'

/** Rollups that are written while a read adds them up are rare: those that it found had no dirty bucket. */
const TRIES = 5

type Services = Pick<StatsServices, 'reads' | 'counter'>

/**
 * Adds what columns count to daily rollups.
 * @param cover says what rollups hold of the range, and what they lack
 * @param count counts a part that they lack over columns
 * @param add adds up; null when rollups cannot answer
 * @returns null also where there are no rollups: columns alone are faster then
 * @throws AppError `unavailable`
 */
export async function withRest<Part, Result>(
  { reads }: Pick<Services, 'reads'>,
  cover: (tx: Queryable) => Promise<WindowsCoverage>,
  count: (gap: Window) => Promise<Part[]>,
  add: (rest: CountedRest<Part>) => Promise<Result | Changed | null>,
): Promise<Result | null> {
  for (let tried = 0; tried < TRIES; tried++) {
    const { gaps, ...covered } = await cover(reads)
    if (covered.kept.length === 0 && covered.ranges.every(range => range.length === 0)) return null
    const parts = await Promise.all(gaps.map(count))
    const result = await add({ covered, rest: parts.flat() })
    if (result !== 'changed') return result
  }
  throw new AppError('unavailable', 'Days of the range are being counted again; try again')
}

/**
 * Counts over columns what rollups do not hold yet of such a read.
 * @param part of the range
 * @throws AppError as `countAsked`, but `preparing` for a range that is too large, while days of it are still to be rolled up
 */
export function countUntilRolledUp<Name extends CountName>(
  services: Pick<Services, 'reads' | 'counter'>,
  resolved: ResolvedQuery,
  name: Name,
  asked: Asked<Name>,
  { dimension, part = keptPart(resolved) }: { dimension?: string; part?: ResolvedQuery } = {},
): Promise<Counted<Name>> {
  const errorOf = async (refusal: Refusal) => {
    const isLong = refusal.why === 'large' || refusal.why === 'slow'
    const waits = isLong && sourceOf('values', resolved, dimension) === 'rollups'
    const share = waits ? await shareRolledUp(services.reads, resolved.siteNo, toWindow(resolved)) : 1
    return refusalError(share < 1 ? { why: 'preparing', share } : refusal)
  }
  return countAsked(services, part, name, asked, { errorOf })
}

/** Returns the query with a part of its range. */
export const within = (resolved: ResolvedQuery, { start, end }: Window): ResolvedQuery => ({
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
  add: (rest: CountedRest<CountedPart>) => Promise<Result | Changed | null>,
): Promise<Result | null> =>
  withRest(
    services,
    tx => coverWindows(tx, resolved.siteNo, windows),
    gap =>
      countUntilRolledUp(services, resolved, 'trafficWithVisitors', boundsIn(gap, windows), {
        part: within(resolved, gap),
      }),
    add,
  )

/** Returns the bounds of a gap, and those of windows in it. */
export function boundsIn({ start, end }: Window, windows: readonly Window[]): number[] {
  const bounds = windows.flatMap(window => [window.start, window.end]).filter(at => at > start && at < end)
  return [...new Set([start, ...bounds, end])].sort((a, b) => a - b)
}

/** Adds what columns count of values to the counts of daily rollups. */
export const withValueRest = <Result>(
  services: Services,
  resolved: ResolvedQuery,
  asked: Pick<Ranking, 'siteNo' | 'window' | 'dimension'> & { zone?: string },
  add: (rest: CountedRest<CountedValue>) => Promise<Result | Changed | null>,
): Promise<Result | null> =>
  withRest(
    services,
    tx => coverValues(tx, asked),
    gap =>
      countUntilRolledUp(
        services,
        resolved,
        'valuesWithVisitors',
        { dimension: asked.dimension, zone: asked.zone ?? 'UTC' },
        { dimension: asked.dimension, part: within(resolved, gap) },
      ),
    add,
  )
