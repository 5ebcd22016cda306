import { z } from 'zod'
import {
  BREAKDOWN_DIMENSIONS,
  type BreakdownDimension,
  isHitDimension,
  isOfSessionEnd,
  sectionOf,
} from '../../dimensions/dimensions.ts'
import { HIDDEN_REVENUE, presentRowRevenue, rowRevenueFields } from '../../money/amounts.ts'
import { label } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { mayShow, requireSection } from '../../sharing/grant.ts'
import { StatsQuery } from '../filters/query.ts'
import { breakDownRevenue } from '../metrics/money.ts'
import { type PageWindow, rank, type SliceCounts, type ValueCounts } from '../metrics/rank.ts'
import { bounceRate, trafficFields } from '../metrics/traffic.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'

export const BreakdownQuery = StatsQuery.safeExtend({
  dimension: z.enum(BREAKDOWN_DIMENSIONS).meta({ description: 'What to break down by.' }),
  ...pageFields(25),
})
export type BreakdownQuery = z.infer<typeof BreakdownQuery>

/** @see docs/metrics.md "Breakdown" */
export const BreakdownRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one.', 'Google'),
    visitors: trafficFields.visitors,
    sessions: trafficFields.sessions,
    pageviews: trafficFields.pageviews,
    bounce_rate: trafficFields.bounce_rate,
    ...rowRevenueFields("What sessions with the value paid, minor units of the site's currency.", 129_900),
  })
  .meta({ id: 'BreakdownRow' })
export type BreakdownRow = z.infer<typeof BreakdownRow>

type BreakdownColumn = 'visitors' | 'sessions' | 'pageviews' | 'bounces'

/** One page of the values of a dimension of hits, by visitors. */
const breakDownHits = filteredQuery<PageWindow, ValueCounts<BreakdownColumn> & { total: number }>(
  'break-down-hits',
  ['matching_hits', 'filtered_sessions'],
)

/** One page of the values of a dimension of sessions, by visitors. */
const breakDownSessions = filteredQuery<PageWindow, ValueCounts<BreakdownColumn> & { total: number }>(
  'break-down-sessions',
  ['filtered_hits', 'filtered_sessions'],
)

/** One page of the values of a dimension of the session's end, by visitors. */
const breakDownEnds = filteredQuery<PageWindow, ValueCounts<BreakdownColumn> & { total: number }>(
  'break-down-ends',
  ['filtered_sessions'],
)

/** Counts that `break-down-hits` ranks, for one slice: every value, with its visitors instead of their number. */
const countHitValues = filteredQuery<undefined, SliceCounts<BreakdownColumn>>(
  'count-hit-values',
  ['matching_hits', 'filtered_sessions'],
  `select
    value,
    count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
    array_send(array_agg(distinct visitor_no) filter (where not is_service and in_filtered_hits)) as visitors,
    count(distinct session_no) filter (where in_session_hits) as sessions,
    count(distinct session_no) filter (where in_session_hits and is_bounce) as bounces
  from matching_hits
  left join (select session_no, true as is_bounce from filtered_sessions where pageviews = 1) as bounced
    using (session_no)
  group by value`,
)

/** Counts that `break-down-sessions` ranks, for one slice: one row of each value for hits, and one for sessions. */
const countSessionValues = filteredQuery<undefined, SliceCounts<BreakdownColumn>>(
  'count-session-values',
  ['filtered_hits', 'filtered_sessions'],
  `select
    value,
    count(*) filter (where type = 'pageview') as pageviews,
    array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors,
    0::bigint as sessions,
    0::bigint as bounces
  from filtered_hits
  group by value
  union all
  select value, 0, null, count(*), count(*) filter (where pageviews = 1)
  from filtered_sessions
  group by value`,
)

/** Counts that `break-down-ends` ranks, for one slice. */
const countEndValues = filteredQuery<undefined, SliceCounts<BreakdownColumn>>(
  'count-end-values',
  ['filtered_sessions'],
  `select
    value,
    sum(pageviews)::bigint as pageviews,
    array_send(array_agg(distinct visitor_no)) as visitors,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces
  from filtered_sessions
  group by value`,
)

/** Returns the statement that ranks the values of a dimension, and the one that counts those of a slice. */
function statementsOf(dimension: BreakdownDimension) {
  if (isHitDimension(dimension)) return [breakDownHits, countHitValues] as const
  if (isOfSessionEnd(dimension)) return [breakDownEnds, countEndValues] as const
  return [breakDownSessions, countSessionValues] as const
}

/**
 * Returns the traffic of each value of a dimension, most visitors first; the empty value is `(none)`, as in filters.
 * @throws AppError `forbidden` for a dimension of a section that the reader may not see
 */
export async function getBreakdown(
  services: StatsServices,
  site: StatsSite,
  { dimension, ...query }: BreakdownQuery,
): Promise<Page<BreakdownRow>> {
  requireSection(services.grant, sectionOf(dimension))
  const { resolved } = await resolveContext(services, site, query)
  const params = windowOf(query)
  const zone = site.timezone
  const [rankRows, countSlice] = statementsOf(dimension)
  const { rows, total } = await rank<BreakdownColumn>(services, resolved, {
    dimension,
    zone,
    by: ['visitors', 'sessions'],
    shown: ['visitors', 'sessions'],
    ...params,
    rankRows: () => rankRows(services.reads, resolved, { params, value: dimension, zone }),
    countSlices: () => readSlices(services, countSlice, resolved, { value: dimension, zone }),
  })
  const values = rows.map(row => row.value)
  const revenue = mayShow(services.grant, 'revenue')
    ? await breakDownRevenue(services, site, resolved, dimension, values)
    : undefined
  return {
    rows: rows.map(row => ({
      value: row.value || '(none)',
      visitors: row.visitors,
      sessions: row.sessions,
      pageviews: row.pageviews,
      bounce_rate: bounceRate(row.bounces, row.sessions),
      ...(revenue ? presentRowRevenue(revenue.get(row.value) ?? 0n) : HIDDEN_REVENUE),
    })),
    total,
  }
}
