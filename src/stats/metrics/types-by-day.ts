import { query } from '../../platform/db/query.ts'
import type { EventType } from '../../platform/dimensions/event-types.ts'
import type { HitsByType } from '../../storage/rollups/daily/count-rows.ts'
import { coverWindows } from '../../storage/rollups/daily/coverage.ts'
import { arraysOf, type Changed, type DailyRollup, type Window } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { TypeCount } from '../counts/frequencies.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { boundsIn, countUntilRolledUp, within, withRest } from './rolled-up.ts'

interface DayCounts extends Window {
  /** Without those of the service. */
  types: HitsByType
  sessions: number
}

// A rollup that was written again since it was found has another version. Days without hits may have no `types`.
const readDayCounts = query<{ siteNo: number; starts: Date[]; ends: Date[]; versions: string[] }, DayCounts>(
  'read-day-counts',
  `select
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    coalesce(types, '{}') as types,
    sessions
  from unnest(:starts::timestamptz[], :ends::timestamptz[], :versions::uuid[]) as day (starts_at, ends_at, version)
  join daily_rollups using (starts_at, ends_at, version)
  where site_no = :siteNo::int
  order by starts_at`,
)

/** Returns what rollups count of their days, in order. */
export async function readDays(
  { reads }: Pick<StatsServices, 'reads'>,
  siteNo: number,
  rollups: readonly DailyRollup[],
): Promise<DayCounts[] | Changed> {
  const { starts, ends } = arraysOf(rollups)
  const versions = rollups.map(({ version }) => version)
  const days = await readDayCounts(reads, { siteNo, starts, ends, versions })
  return days.length === rollups.length ? days : 'changed'
}

/** Hits by type in a part of a range: a day of a rollup, or of what rollups lack. */
export interface TypesOfPart extends Window {
  types: HitsByType
}

type Services = Pick<StatsServices, 'reads' | 'counter'>

/**
 * Counts hits by type, those of the service included: of days that are over from daily rollups, of the rest over columns.
 * @param resolved without filters, and of days with details
 * @param windows in order, without overlaps
 * @returns parts that each lie in one window; null where there are no rollups: columns alone answer then
 * @throws AppError as `countAsked`
 */
export const countTypesOfParts = (
  services: Services,
  resolved: ResolvedQuery,
  windows: readonly Window[],
  types: EventType[],
): Promise<TypesOfPart[] | null> =>
  withRest(
    services,
    tx => coverWindows(tx, resolved.siteNo, windows),
    async gap => {
      const bounds = boundsIn(gap, windows)
      const part = within(resolved, gap)
      return partsOf(
        bounds,
        await countUntilRolledUp(services, resolved, 'types', { bounds, types }, { part }),
      )
    },
    async ({ covered, rest }) => {
      const days = await countDays(services, resolved, covered.ranges.flat(), types)
      return days === 'changed' ? days : [...days, ...rest]
    },
  )

/** Rollups have no events of the service, which may come late: columns of these alone are small. */
async function countDays(
  services: Services,
  resolved: ResolvedQuery,
  rollups: readonly DailyRollup[],
  types: EventType[],
): Promise<TypesOfPart[] | Changed> {
  const [first, last] = [rollups[0], rollups.at(-1)]
  if (!first || !last) return []
  const bounds = [...new Set(rollups.flatMap(({ start, end }) => [start, end]))]
  const span = within(resolved, { start: first.start, end: last.end })
  const [days, ofService] = await Promise.all([
    readDays(services, resolved.siteNo, rollups),
    countAsked(services, span, 'serviceTypes', { bounds, types }),
  ])
  if (days === 'changed') return days
  const serviceOf = new Map(partsOf(bounds, ofService).map(part => [part.start, part.types]))
  return days.map(({ start, end, types: own }) => ({
    start,
    end,
    types: Object.fromEntries(
      types.map(type => [type, (own[type] ?? 0) + (serviceOf.get(start)?.[type] ?? 0)]),
    ),
  }))
}

function partsOf(bounds: readonly number[], counted: readonly TypeCount[]): TypesOfPart[] {
  const parts: TypesOfPart[] = bounds
    .slice(1)
    .map((end, index) => ({ start: bounds[index]!, end, types: {} }))
  for (const { bucket, type, hits } of counted) parts[bucket]!.types[type] = hits
  return parts
}
