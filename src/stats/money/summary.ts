import { z } from 'zod'
import { ratio, roundedQuotient } from '../../platform/lib/numbers.ts'
import { capped } from '../../platform/schema/amounts.ts'
import { count, decimal, label } from '../../platform/schema/fields.ts'
import { Comparison, checkComparison, compareFields } from '../../platform/time/comparison.ts'
import type { RevenueTotals } from '../../storage/rollups/protocol.ts'
import { isUnfiltered } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { countPayments } from '../metrics/money-metrics.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { countMrrChanges, type PeriodOfMrr } from './mrr-changes.ts'
import { countPayingCustomers } from './paying-customers.ts'

export const MoneyQuery = StatsQuery.safeExtend(compareFields).superRefine(checkComparison)
export type MoneyQuery = z.infer<typeof MoneyQuery>

const minor = (description: string, example: number) => z.int().meta({ description, example })

const metrics = {
  mrr: minor('MRR at the end of the range, minor units.', 120_000),
  arr: minor('12 × `mrr`.', 1_440_000),
  mrr_at_start: minor('MRR at the start of the range.', 110_000),
  net_new_mrr: minor(
    'Change of MRR in the range: the sum of the five kinds, and `mrr` of the overview.',
    10_000,
  ),
  new_mrr: minor('From customers who never had MRR before.', 12_000),
  expansion_mrr: minor('From customers whose MRR rose.', 3_000),
  contraction_mrr: minor('From customers whose MRR fell, but not to 0; never above 0.', -2_000),
  churned_mrr: minor('From customers whose MRR fell to 0; never above 0.', -4_000),
  reactivation_mrr: minor('From customers who had MRR, then none, and have some again.', 1_000),
  mrr_growth_rate: decimal('`net_new_mrr` ÷ `mrr_at_start`, percent, two decimals.', 9.09),
  mrr_churn_rate: decimal('MRR lost by churn and contraction ÷ `mrr_at_start`, percent, two decimals.', 5.45),
  net_mrr_churn_rate: decimal('The same less expansion and reactivation; below 0 when these are more.', 1.82),
  active_subscriptions: count('Subscriptions with MRR above 0 at the end of the range.', 42),
  active_customers: count('Customers with MRR above 0 at the end of the range.', 40),
  customers_at_start: count('Customers with MRR above 0 at the start of the range.', 38),
  started_customers: count('Changes of the kind `new`.', 4),
  reactivated_customers: count('Changes of the kind `reactivation`.', 1),
  churned_customers: count('Changes of the kind `churn`.', 3),
  customer_churn_rate: decimal('`churned_customers` ÷ `customers_at_start`, percent, two decimals.', 7.89),
  arpa: minor('`mrr` ÷ `active_customers`, whole minor units.', 3_000),
  lifetime_value: z.int().nullable().meta({
    description: '`arpa` ÷ monthly customer churn rate, whole minor units; null without churn.',
    example: 38_000,
  }),
  revenue: minor('Payments less refunds.', 49_990),
  payments: count('Payments that are not wholly refunded.', 10),
  paying_customers: count('Customers of these payments.', 9),
  new_customers: count('Customers whose first payment is in the range.', 5),
  revenue_per_paying_customer: minor('`revenue` ÷ `paying_customers`, whole minor units.', 5_554),
}

/** @see docs/metrics.md "Money report" */
export const MoneyReport = z
  .object({
    currency: label("The site's reporting currency. Amounts are its minor units.", 'USD'),
    now: z
      .object({
        mrr: minor('MRR of everything that is recorded.', 120_000),
        arr: minor('12 × `mrr`.', 1_440_000),
        active_subscriptions: count('Subscriptions with MRR above 0.', 42),
        active_customers: count('Customers with MRR above 0.', 40),
      })
      .nullable()
      .meta({ description: 'What there is now, whatever the range; null under filters.' }),
    ...metrics,
    days: count('Days of the range, both ends included.', 30),
    previous: z.object(metrics).meta({
      id: 'PreviousMoney',
      description: 'The same metrics of as many days just before, or of the compared period.',
    }),
    comparison: Comparison.optional(),
  })
  .meta({ id: 'MoneyReport' })
export type MoneyReport = z.infer<typeof MoneyReport>
export type MoneyMetric = keyof typeof metrics

/** Returns revenue, recurring revenue and customers of the range, and of the period before or the compared one. */
export async function getMoney(
  services: StatsServices,
  site: StatsSite,
  query: MoneyQuery,
): Promise<MoneyReport> {
  const context = await resolveContext(services, site, query)
  const { range, rangeBefore, resolved, resolvedBefore, comparison } = context
  // Filters may begin later than the range, where details do; movements before it count as before the range.
  const periods = [resolved, resolvedBefore]
  const [paid, recurring] = await Promise.all([
    countPayments(services, site, periods),
    countMrrChanges(
      services,
      site,
      periods.map(period => ({ resolved: period, buckets: [period] })),
    ),
  ])
  const paying = await Promise.all(
    periods.map((period, index) => countPayingCustomers(services, site, period, paid[index]!.recorded)),
  )
  const [current, previous] = [range, rangeBefore].map(({ days }, index) =>
    presentPeriod(recurring.periods[index]!, paid[index]!, paying[index]!, days),
  )
  const { now } = recurring
  return {
    currency: site.currency,
    // All movements count in it: a share with filters must not show those of others.
    now: isUnfiltered(resolved)
      ? {
          mrr: capped(now.mrr),
          arr: capped(12n * now.mrr),
          active_subscriptions: now.subscriptions,
          active_customers: now.customers,
        }
      : null,
    ...current!,
    days: range.days,
    previous: previous!,
    ...(comparison && { comparison }),
  }
}

function presentPeriod(
  { buckets, atStart, atEnd }: PeriodOfMrr,
  paid: RevenueTotals,
  payingCustomers: number,
  days: number,
) {
  const { amounts, changes, mrrBefore, mrrAfter } = buckets[0]!
  const lost = -(amounts.churn + amounts.contraction)
  const ofStart = (amount: bigint) => ratio(100n * amount, mrrBefore, 2)
  const perCustomer = (amount: bigint, customers: number) => capped(roundedQuotient(amount, customers))
  return {
    mrr: capped(mrrAfter),
    arr: capped(12n * mrrAfter),
    mrr_at_start: capped(mrrBefore),
    net_new_mrr: capped(mrrAfter - mrrBefore),
    new_mrr: capped(amounts.new),
    expansion_mrr: capped(amounts.expansion),
    contraction_mrr: capped(amounts.contraction),
    churned_mrr: capped(amounts.churn),
    reactivation_mrr: capped(amounts.reactivation),
    mrr_growth_rate: ofStart(mrrAfter - mrrBefore),
    mrr_churn_rate: ofStart(lost),
    net_mrr_churn_rate: ofStart(lost - amounts.expansion - amounts.reactivation),
    active_subscriptions: atEnd.subscriptions,
    active_customers: atEnd.customers,
    customers_at_start: atStart.customers,
    started_customers: changes.new,
    reactivated_customers: changes.reactivation,
    churned_customers: changes.churn,
    customer_churn_rate: ratio(100 * changes.churn, atStart.customers, 2),
    arpa: perCustomer(mrrAfter, atEnd.customers),
    lifetime_value: lifetimeValue(mrrAfter, atEnd.customers, atStart.customers, changes.churn, days),
    revenue: capped(paid.revenue),
    payments: paid.payments,
    paying_customers: payingCustomers,
    new_customers: paid.newCustomers,
    revenue_per_paying_customer: perCustomer(paid.revenue, payingCustomers),
  }
}

/** Returns ARPA ÷ churn rate of a month of 365 ÷ 12 days, rounded once; null without churn or without customers at the start. */
function lifetimeValue(mrr: bigint, atEnd: number, atStart: number, churned: number, days: number) {
  const value = customerValue(mrr, BigInt(atEnd), BigInt(atStart), BigInt(churned), days)
  return value === null ? null : capped(value)
}

/** The same without a bound. */
export const customerValue = (mrr: bigint, atEnd: bigint, atStart: bigint, churned: bigint, days: number) =>
  churned === 0n || atStart === 0n
    ? null
    : roundedQuotient(mrr * atStart * BigInt(days) * 12n, atEnd * churned * 365n)
