import { levelOf } from '../../dimensions/dimensions.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { runTask, type SessionFilter } from '../../rollups/protocol.ts'
import type { ColumnCoverage, Gap } from '../../rollups/session-columns/cover-days.ts'
import { type TimeSpan, toWindow } from '../../time/range.ts'
import { keptPart, propertiesOf, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'

/** Days whose clocks are set forward are the shortest; no shorter range has a whole day. */
const SHORTEST_DAY_MS = 23 * HOUR_MS

/** Returns the filters when all are on what sessions have from their start, so that columns can answer; none without filters. */
function sessionFiltersOf({
  filters,
  goal,
  segmentSessionNos,
  slice,
  completed,
}: ResolvedQuery): SessionFilter[] | undefined {
  if (completed || propertiesOf(filters).length > 0 || goal || segmentSessionNos || slice) return undefined
  const found = filters.dimensions.flatMap(({ dimension, condition: { operator, values } }) =>
    levelOf(dimension) === 'session' || levelOf(dimension) === 'session-row'
      ? [{ dimension: dimension as SessionFilter['dimension'], operator, values }]
      : [],
  )
  return found.length === filters.dimensions.length ? found : undefined
}

/** How a read takes columns of sessions: in each window the days, and the gaps that are counted from rows. */
export interface ColumnRead {
  siteNo: number
  filters: SessionFilter[]
  windows: ColumnCoverage[]
}

/**
 * Returns how windows of a read, which do not overlap, are read from columns of sessions.
 * @returns undefined when rows should answer
 */
export async function coverByColumns(
  { rollups }: Pick<StatsServices, 'rollups'>,
  resolved: ResolvedQuery,
  windows: readonly TimeSpan[],
): Promise<ColumnRead | undefined> {
  const { siteNo } = resolved
  const filters = sessionFiltersOf(resolved)
  const kept = windows.map(window => toWindow(keptPart({ ...window, ...detailsOf(resolved) })))
  if (!filters || !kept.some(({ start, end }) => end - start >= SHORTEST_DAY_MS)) return undefined
  const covered = await runTask(rollups, 'coverSessionColumns', { siteNo, windows: kept })
  return covered ? { siteNo, filters, windows: covered } : undefined
}

const detailsOf = ({ detailsFrom }: ResolvedQuery) => (detailsFrom ? { detailsFrom } : {})

const known = new WeakMap<ResolvedQuery, Promise<ColumnRead | undefined>>()

/** Returns how the range of a read is read; all statements of a request use the same answer. */
export function coverRange(
  services: Pick<StatsServices, 'rollups'>,
  resolved: ResolvedQuery,
): Promise<ColumnRead | undefined> {
  let read = known.get(resolved)
  if (!read) {
    read = coverByColumns(services, resolved, [resolved])
    known.set(resolved, read)
  }
  return read
}

/** Returns the read of a gap, of a read that columns can answer. */
export const partOf = (resolved: ResolvedQuery, { start, end, sessionNos }: Gap): ResolvedQuery => ({
  ...resolved,
  start: new Date(start),
  end: new Date(end),
  ...(sessionNos && { segmentSessionNos: sessionNos }),
})
