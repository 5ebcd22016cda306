import { type RevenueTotals, runTask } from '../../rollups/protocol.ts'
import { boundsOf, toWindow } from '../../time/range.ts'
import { isUnfiltered, wholePart } from '../filters/resolved-query.ts'
import { hasManyPayments, sumFilteredRevenue } from '../metrics/money.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { sumColumn, type Term } from './parts.ts'
import type { Explained } from './source.ts'
import { termsOf } from './traffic.ts'

export type PaymentTerm = 'revenue' | 'recurring_revenue' | 'payments' | 'new_customers'

const FIELDS = {
  revenue: 'revenue',
  recurring_revenue: 'recurring',
  payments: 'payments',
  new_customers: 'newCustomers',
} satisfies Record<PaymentTerm, keyof RevenueTotals>

/** Returns what the payments of a period consist of. */
export async function explainPayments(explained: Explained): Promise<Record<PaymentTerm, Term>> {
  const { services, site, resolved, parts } = explained
  const { siteNo, currency } = site
  if (isUnfiltered(resolved)) {
    const found = await runTask(services.rollups, 'explainRevenue', {
      siteNo,
      currency,
      window: toWindow(resolved),
      buckets: parts.map(toWindow),
    })
    return termsOf(FIELDS, found)
  }
  const options = {
    params: { currency, bounds: boundsOf(parts) },
    hasManyPayments: await hasManyPayments(services, resolved),
  }
  const rows = parts.length > 0 ? await sumFilteredRevenue(services.reads, resolved, options) : []
  const sum = (amountOf: (row: (typeof rows)[number]) => number | bigint) =>
    sumColumn(rows, parts.length, amountOf)
  return {
    revenue: sum(row => BigInt(row.revenue)),
    recurring_revenue: sum(row => BigInt(row.recurring)),
    payments: sum(row => row.payments),
    new_customers: sum(row => row.newCustomers),
  }
}

/** Customers with a payment that is not wholly refunded: in each part, and, where `bucket` is null, in all together. */
const explainPayingCustomers = filteredQuery<
  { currency: string; bounds: Date[] },
  { bucket: number | null; customers: number }
>(
  'explain-paying-customers',
  ['filtered_payments'],
  `select bucket, count(distinct customer) as customers
  from (
    select width_bucket(filtered_payments.at, (select bounds from params)) - 1 as bucket, payments.customer
    from filtered_payments
    join payments on payments.site_no = :siteNo::int and payments.id = filtered_payments.payment_id
    where filtered_payments.currency = (select currency from params)
      and filtered_payments.refunded_minor < filtered_payments.amount_minor
  ) as paid
  group by grouping sets ((bucket), ())`,
)

export async function explainPaying({ services, site, resolved, parts }: Explained): Promise<Term> {
  const buckets = parts.map(() => 0n)
  if (parts.length === 0) return { total: 0n, buckets, sources: {} }
  const whole = isUnfiltered(resolved) ? wholePart(resolved) : resolved
  const rows = await explainPayingCustomers(services.reads, whole, {
    params: { currency: site.currency, bounds: boundsOf(parts) },
    hasManyPayments: await hasManyPayments(services, whole),
  })
  let total = 0n
  for (const { bucket, customers } of rows) {
    if (bucket === null) total = BigInt(customers)
    else buckets[bucket] = BigInt(customers)
  }
  return { total, buckets, sources: total === 0n ? {} : { rows: total }, isDistinct: true }
}
