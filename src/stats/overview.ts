import { z } from 'zod'
import { count, label } from '../infra/fields.ts'
import { moneyFields, presentMoney } from '../revenue/numbers.ts'
import { StatsQuery } from './filters/query.ts'
import type { Scope } from './filters/scope.ts'
import { countConvertingVisitors } from './goal-report.ts'
import { countMoney } from './money.ts'
import { ratio } from './numbers.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { countTraffic, presentTraffic, trafficFields } from './traffic.ts'

export const OverviewQuery = StatsQuery

const metrics = { ...trafficFields, ...moneyFields }

/** @see spec.md "Site overview object" */
export const Overview = z
  .object({
    kpi: z
      .object({
        metric: z.literal('mrr').meta({ description: 'The metric that matters most.' }),
        label: z.literal('MRR change').meta({ description: 'What people call it.' }),
        currency: label("The site's reporting currency.", 'USD'),
        static: z.literal(false).meta({ description: 'It changes with the range.' }),
      })
      .meta({ description: 'What a dashboard shows first.' }),
    ...metrics,
    days: count('Days of the range, both ends included.', 30),
    previous: z.object(metrics).meta({
      id: 'PreviousPeriod',
      description: 'The same metrics of as many days just before.',
    }),
  })
  .meta({ id: 'Overview' })
export type Overview = z.infer<typeof Overview>

/** Returns the metrics of a site for the range and for the same number of days just before. */
export async function getOverview(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<Overview> {
  const { range, scope, scopeBefore } = await readQuestion(services, site, query)
  const scopes = [scope, scopeBefore]
  const [traffic, totals, conversions] = await Promise.all([
    Promise.all(scopes.map(each => countTraffic(services, each, [each]))),
    countMoney(
      services,
      site,
      scopes.map(each => ({ scope: each, buckets: [each] })),
    ),
    Promise.all(scopes.map(each => each.goal && measureConversion(services, each))),
  ])
  const money = presentMoney(
    totals,
    traffic.map(([period]) => period!.visitors),
  )
  const [current, previous] = traffic.map(([period], index) => ({
    ...presentTraffic(period!),
    ...money[index],
    ...conversions[index],
  }))
  return {
    kpi: { metric: 'mrr', label: 'MRR change', currency: site.currency, static: false },
    ...current!,
    days: range.days,
    previous: previous!,
  }
}

/** Conversion rate of a goal filter: converting visitors ÷ visitors that match the other filters, percent, one decimal. */
async function measureConversion(services: StatsServices, scope: Scope) {
  const others = { ...scope, goal: undefined }
  const [converting, [all]] = await Promise.all([
    countConvertingVisitors(services, others, scope.goal!.targets),
    countTraffic(services, others, [others]),
  ])
  return { conversion_rate: ratio(100 * converting, all!.visitors, 1) }
}
