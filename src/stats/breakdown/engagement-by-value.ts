import type { BreakdownDimension } from '../../dimensions/dimensions.ts'
import type { RankedValue } from '../../rollups/protocol.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

/** Dimensions of which a row has the time on the page and the scroll depth. */
export const PAGES: ReadonlySet<BreakdownDimension> = new Set(['path', 'title'])

export type EngagementColumn = 'engagedMs' | 'engagedSessions' | 'scrollSum' | 'scrolledSessions'
export type Engagement = Pick<RankedValue, 'value' | EngagementColumn>

/** Engaged time and deepest scroll on each path or title in the sessions that saw it. */
const measureEngagementByValue = filteredQuery<undefined, Engagement>(
  'measure-engagement-by-value',
  ['session_hits', 'engagements'],
  `select
    value,
    sum(engaged_ms)::float8 as "engagedMs",
    count(*) as "engagedSessions",
    coalesce(sum(scroll), 0)::bigint as "scrollSum",
    count(scroll) as "scrolledSessions"
  from (select value, session_no from session_hits group by 1, 2) as seen
  join (
    select value, session_no, coalesce(sum(engaged_ms), 0) as engaged_ms, max(scroll) as scroll
    from engagements
    group by 1, 2
  ) as engaged using (value, session_no)
  group by value`,
)

/**
 * Returns the engagement by path or title, where rollups do not have it. Values without engagement are absent.
 * @param values the only values of interest; undefined for all
 */
export async function measureEngagement(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  value: BreakdownDimension,
  values: readonly string[] | undefined,
): Promise<Map<string, Engagement>> {
  if (values?.length === 0) return new Map()
  const rows = await readSlices(services, measureEngagementByValue, resolved, { value, values })
  return new Map(mergeSlices(rows, row => row.value).map(row => [row.value, row]))
}
