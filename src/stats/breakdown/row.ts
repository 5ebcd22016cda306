import { z } from 'zod'
import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import { presentRowRevenue, rowRevenueFields } from '../../platform/schema/amounts.ts'
import { count, decimal, label } from '../../platform/schema/fields.ts'
import type { RankedValue } from '../../storage/rollups/protocol.ts'
import { type CountOf, RATIOS } from '../../storage/rollups/value-order.ts'
import { shownValue } from '../../storage/rollups/value-search.ts'
import { countsFor } from '../imported/by-value.ts'
import type { TotalsSums } from '../imported/sums.ts'
import { trafficFields } from '../metrics/traffic-metrics.ts'
import { PAGES } from './page-dimensions.ts'

const metrics = {
  visitors: trafficFields.visitors,
  sessions: trafficFields.sessions,
  pageviews: trafficFields.pageviews,
  views_per_visit: trafficFields.views_per_visit,
  bounce_rate: trafficFields.bounce_rate,
  avg_session_seconds: trafficFields.avg_session_seconds,
  time_on_page_seconds: decimal(
    'Mean engaged time of the sessions with engagement there; null without any. There for `path` and `title`.',
    41.2,
  )
    .nullable()
    .optional(),
  scroll_depth: decimal(
    'Mean of the deepest scroll of the sessions that scrolled there, percent; null without any. There for `path` and `title`.',
    63.5,
  )
    .nullable()
    .optional(),
  converting_visitors: count('Visitors who converted `conversion_goal`; there with it.', 5).optional(),
  conversion_rate: decimal(
    'Those among the visitors of the row, percent, one decimal; there with `conversion_goal`.',
    3.9,
  ).optional(),
  ...rowRevenueFields("What sessions with the value paid, minor units of the site's currency.", 129_900),
  mrr: z
    .int()
    .nullable()
    .meta({
      description:
        'Net change of MRR that sessions with the value made, minor units. Null where it is beyond 2^53 − 1, see `mrr_exact`, and for ' +
        'readers without the section `revenue`.',
      example: 12_000,
    }),
  mrr_exact: z.string().optional().meta({
    description: 'Every digit of `mrr` where it is null for being beyond 2^53 − 1. Else absent.',
    example: '18014398509481982',
  }),
  revenue_per_visitor: decimal(
    '`revenue` by visitor, minor units, two decimals; 0 without visitors, null where `revenue` is.',
    101.48,
  ).nullable(),
}

/** @see docs/metrics.md "Breakdown" */
export const BreakdownRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one.', 'Google'),
    ...metrics,
    previous: z.object(metrics).optional().meta({
      id: 'BreakdownRowBefore',
      description:
        'The same metrics of the value in the compared period. There when the request has `compare`.',
    }),
  })
  .meta({ id: 'BreakdownRow' })
export type BreakdownRow = z.infer<typeof BreakdownRow>
type Metrics = Omit<BreakdownRow, 'value' | 'previous'>
/** What a row says of its value; amounts beyond exact numbers have a second field. */
export type BreakdownMetric = Exclude<keyof Metrics, `${string}_exact`>

/** What is counted of a value apart from its traffic. */
export interface RowParts {
  counts: RankedValue
  /** Undefined for readers without the section `revenue`. */
  money: { revenue: bigint; mrr: bigint } | undefined
  /** Undefined without `conversion_goal`. */
  converting: number | undefined
  /** Totals of another product that belong to it; undefined without any. */
  imported?: TotalsSums | undefined
}

export function presentRow(dimension: BreakdownDimension, parts: RowParts, before?: RowParts): BreakdownRow {
  return {
    value: shownValue(parts.counts.value),
    ...presentMetrics(dimension, parts),
    ...(before && { previous: presentMetrics(dimension, before) }),
  }
}

function presentMetrics(
  dimension: BreakdownDimension,
  { counts, money, converting, imported }: RowParts,
): Metrics {
  const together = { counts, imported }
  const countOf = countsFor('visitors', together)
  return {
    visitors: countOf('visitors'),
    sessions: countOf('sessions'),
    pageviews: countOf('pageviews'),
    views_per_visit: RATIOS.views_per_visit(countsFor('views_per_visit', together)),
    bounce_rate: RATIOS.bounce_rate(countsFor('bounce_rate', together)),
    avg_session_seconds: RATIOS.avg_session_seconds(countsFor('avg_session_seconds', together)),
    ...(PAGES.has(dimension) && {
      time_on_page_seconds: RATIOS.time_on_page_seconds(countOf),
      scroll_depth: RATIOS.scroll_depth(countOf),
    }),
    ...(converting !== undefined && {
      converting_visitors: converting,
      conversion_rate: RATIOS.conversion_rate(countOf, BigInt(converting)),
    }),
    ...presentRowMoney(money, countOf),
  }
}

function presentRowMoney(money: RowParts['money'], countOf: CountOf) {
  if (!money) return { revenue: null, mrr: null, revenue_per_visitor: null }
  const revenue = presentRowRevenue(money.revenue)
  const mrr = presentRowRevenue(money.mrr)
  return {
    ...revenue,
    mrr: mrr.revenue,
    ...(mrr.revenue_exact !== undefined && { mrr_exact: mrr.revenue_exact }),
    revenue_per_visitor: revenue.revenue === null ? null : RATIOS.revenue_per_visitor(countOf, money.revenue),
  }
}
