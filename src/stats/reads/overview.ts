import { z } from 'zod'
import { ratio } from '../../platform/lib/numbers.ts'
import { count, label } from '../../platform/schema/fields.ts'
import { Comparison, checkComparison, compareFields } from '../../platform/time/comparison.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { goalOf, type ResolvedQuery, withoutGoal } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { presentTogether } from '../imported/combine.ts'
import { findFamilies, withImportedStart } from '../imported/families.ts'
import { Imported, importedField } from '../imported/imported-answer.ts'
import { byBucket, readImportedTraffic } from '../imported/imported-traffic.ts'
import { IMPORTED_METRIC_NAMES } from '../imported/metrics.ts'
import { countMoney } from '../metrics/money-metrics.ts'
import { moneyFields, presentMoney } from '../metrics/money-totals.ts'
import { countTraffic, trafficFields } from '../metrics/traffic-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow } from '../sharing/grant.ts'

const metrics = { ...trafficFields, ...moneyFields }

export const OverviewQuery = StatsQuery.safeExtend({ ...compareFields, ...importedField }).superRefine(
  checkComparison,
)
export type OverviewQuery = z.infer<typeof OverviewQuery>

/** @see docs/metrics.md "Overview" */
export const Overview = z
  .object({
    kpi: z
      .object({
        metric: z.literal('mrr').meta({ description: 'The metric that matters most.' }),
        label: z.literal('MRR change').meta({ description: 'Name to show.' }),
        currency: label("The site's reporting currency.", 'USD'),
        static: z.literal(false).meta({ description: 'It changes with the range.' }),
      })
      .meta({ description: 'What a dashboard shows first.' }),
    ...metrics,
    days: count('Days of the range, both ends included.', 30),
    previous: z.object(metrics).meta({
      id: 'PreviousPeriod',
      description: 'The same metrics of as many days just before, or of the compared period.',
    }),
    comparison: Comparison.optional(),
    imported: Imported.optional(),
  })
  .meta({ id: 'Overview' })
export type Overview = z.infer<typeof Overview>
export type OverviewMetric = keyof typeof metrics

/** Returns the metrics of a site for the range, and for the same number of days just before or the compared period. */
export async function getOverview(
  services: StatsServices,
  site: StatsSite,
  query: OverviewQuery,
): Promise<Overview> {
  const families = query.imported ? await findFamilies(services.reads, site) : undefined
  const { range, rangeBefore, filters, resolved, resolvedBefore, comparison } = await resolveContext(
    services,
    families ? withImportedStart(site, families) : site,
    query,
  )
  const ranges = [range, rangeBefore]
  const periods = [resolved, resolvedBefore]
  const [traffic, totals, conversions, imported] = await Promise.all([
    Promise.all(periods.map(period => countTraffic(services, period, [period]))),
    mayShow(services.grant, 'revenue')
      ? countMoney(
          services,
          site,
          periods.map(period => ({ resolved: period, buckets: [period] })),
        )
      : undefined,
    Promise.all(periods.map(period => goalOf(period) && measureConversion(services, period))),
    families &&
      Promise.all(
        ranges.map(period =>
          readImportedTraffic(services, site, families, {
            range: period,
            filters,
            metrics: IMPORTED_METRIC_NAMES,
          }),
        ),
      ),
  ])
  const presented = traffic.map(([period], index) => {
    const [sums] = imported ? byBucket(imported[index]!.byDay, site.timezone, [ranges[index]!]) : []
    return presentTogether(period!, sums)
  })
  const visitors = presented.map(period => period.visitors)
  const money = totals ? presentMoney(totals, visitors) : []
  const [current, previous] = presented.map((period, index) => ({
    ...period,
    ...money[index],
    ...conversions[index],
  }))
  return {
    kpi: { metric: 'mrr', label: 'MRR change', currency: site.currency, static: false },
    ...current!,
    days: range.days,
    previous: previous!,
    ...(comparison && { comparison }),
    ...(imported && { imported: { ...imported[0]!.note, previous: imported[1]!.note } }),
  }
}

/** Conversion rate of a goal filter: converting visitors ÷ visitors that match the other filters, percent, one decimal. */
async function measureConversion(services: StatsServices, resolved: ResolvedQuery) {
  const others = withoutGoal(resolved)
  const [converting, [all]] = await Promise.all([
    countAsked(services, others, 'converters', { targets: goalOf(resolved) ?? [] }),
    countTraffic(services, others, [others]),
  ])
  return { conversion_rate: ratio(100 * converting, all!.visitors, 1) }
}
