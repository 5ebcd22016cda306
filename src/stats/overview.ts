import { z } from 'zod'
import { count, decimal, label } from '../infra/fields.ts'
import type { Scope } from './filters/conditions.ts'
import { StatsQuery } from './filters/query.ts'
import { countConvertingVisitors } from './goal-report.ts'
import { ratio } from './numbers.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { countTraffic, presentTraffic, Traffic, trafficFields } from './traffic.ts'

export const OverviewQuery = StatsQuery

const conversionRate = {
  conversion_rate: decimal('Converting visitors among all, percent, one decimal.', 3.9).optional(),
}

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
    ...trafficFields,
    ...conversionRate,
    days: count('Days of the range, both ends included.', 30),
    previous: Traffic.extend(conversionRate).meta({
      id: 'PreviousPeriod',
      description: 'The same metrics of as many days just before.',
    }),
  })
  .meta({ id: 'Overview' })
export type Overview = z.infer<typeof Overview>

/** What a site's range counts, and the same number of days just before. */
export async function getOverview(
  services: StatsServices,
  site: StatsSite,
  query: StatsQuery,
): Promise<Overview> {
  const { range, scope, scopeBefore } = await readQuestion(services, site, query)
  const [current, previous] = await Promise.all([measure(services, scope), measure(services, scopeBefore)])
  return {
    kpi: { metric: 'mrr', label: 'MRR change', currency: site.currency, static: false },
    ...current,
    days: range.days,
    previous,
  }
}

async function measure(services: StatsServices, scope: Scope) {
  const [[totals], conversion] = await Promise.all([
    countTraffic(services, scope, [scope]),
    scope.goal && measureConversion(services, scope),
  ])
  return { ...presentTraffic(totals!), ...conversion }
}

/** Under a goal filter: converting visitors ÷ visitors under the other filters alone, percent, one decimal. */
async function measureConversion(services: StatsServices, scope: Scope) {
  const others = { ...scope, goal: undefined }
  const [converting, [all]] = await Promise.all([
    countConvertingVisitors(services, others, scope.goal!),
    countTraffic(services, others, [others]),
  ])
  return { conversion_rate: ratio(100 * converting, all!.visitors, 1) }
}
