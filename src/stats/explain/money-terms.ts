import type { RevenueTotals } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart, type ResolvedQuery, wholePart } from '../filters/resolved-query.ts'
import { countMoney } from '../metrics/money-metrics.ts'
import { type ChangeKind, countMrrChanges, type MrrBucket } from '../money/mrr-changes.ts'
import { distinctTerm, type Explained, sumTerm, type Term } from './parts.ts'

const PAYMENT_FIELDS = {
  revenue: 'revenue',
  recurring_revenue: 'recurring',
  payments: 'payments',
  new_customers: 'newCustomers',
} as const satisfies Record<string, keyof RevenueTotals>
export type PaymentTerm = keyof typeof PAYMENT_FIELDS

/** Returns what the payments of a period consist of. */
export async function explainPayments(explained: Explained): Promise<Record<PaymentTerm, Term>> {
  const { services, site, resolved, parts } = explained
  const { periods } = await countMoney(services, site, [{ resolved, buckets: parts }])
  const terms = Object.entries(PAYMENT_FIELDS).map(([term, field]) => [
    term,
    sumTerm(periods.map(({ revenue }) => revenue[field])),
  ])
  return Object.fromEntries(terms)
}

/** Payments and movements are never dropped; what filters keep of them begins with the details of the site, as do the rows of a breakdown. */
export function moneyPart({ resolved, of }: Pick<Explained, 'resolved' | 'of'>): ResolvedQuery {
  return of.dimension === undefined ? wholePart(resolved) : keptPart(resolved)
}

/** Returns the distinct customers who paid. */
export async function explainPaying(explained: Explained): Promise<Term> {
  const { services, site, parts } = explained
  if (parts.length === 0) return distinctTerm(0, [])
  const resolved = moneyPart(explained)
  const count = (buckets: readonly { start: Date; end: Date }[]) =>
    countAsked(services, resolved, 'money', { currency: site.currency, bounds: edgesOf(buckets) })
  const [[whole], counted] = await Promise.all([count([resolved]), count(parts)])
  return distinctTerm(
    whole!.payingCustomers,
    counted.map(({ payingCustomers }) => payingCustomers),
  )
}

/** Returns what the money of a row of a breakdown consists of: since the site has details. */
export async function explainValueMoney(
  explained: Explained,
): Promise<Record<'revenue' | 'mrr_change', Term>> {
  const { services, site, parts, of } = explained
  if (parts.length === 0) return { revenue: sumTerm([]), mrr_change: sumTerm([]) }
  const asked = { currency: site.currency, bounds: edgesOf(parts), ...of }
  const counted = await countAsked(services, moneyPart(explained), 'money', asked)
  return {
    revenue: sumTerm(counted.map(({ revenue }) => revenue.revenue)),
    mrr_change: sumTerm(counted.map(({ movements }) => movements.mrr)),
  }
}

/** The change of the MRR of customers that a term adds up or counts. */
export const CHANGE_OF = {
  new_mrr: 'new',
  expansion_mrr: 'expansion',
  contraction_mrr: 'contraction',
  churned_mrr: 'churn',
  reactivation_mrr: 'reactivation',
  started_customers: 'new',
  reactivated_customers: 'reactivation',
  churned_customers: 'churn',
} as const satisfies Record<string, ChangeKind>

/** Whether a term is a number of customers, and not an amount. */
export const countsCustomers = (term: string): boolean => term.endsWith('_customers')

/** Recurring revenue and its customers; those at the end of the period include what there was before it. */
export type RecurringTerm =
  | keyof typeof CHANGE_OF
  | 'mrr'
  | 'mrr_at_start'
  | 'mrr_change'
  | 'active_subscriptions'
  | 'active_customers'
  | 'customers_at_start'

/** Returns what recurring revenue consists of. */
export async function explainRecurring(explained: Explained): Promise<Record<RecurringTerm, Term>> {
  const { services, site, parts } = explained
  const resolved = moneyPart(explained)
  const period = { resolved, buckets: parts.length > 0 ? parts : [resolved] }
  const { periods } = await countMrrChanges(services, site, [period])
  const { atStart, buckets: found } = periods[0]!
  const before = found[0]!.mrrBefore
  const buckets = parts.length > 0 ? found : []
  const sum = (amountOf: (bucket: MrrBucket) => number | bigint, before?: bigint) =>
    sumTerm(buckets.map(amountOf), before)
  const active = (unit: 'customers' | 'subscriptions') =>
    sumTerm(
      buckets.map(({ after }, index) => after[unit] - (buckets[index - 1]?.after ?? atStart)[unit]),
      BigInt(atStart[unit]),
    )
  const changes = Object.entries(CHANGE_OF).map(([term, kind]) => [
    term,
    sum(bucket => (countsCustomers(term) ? bucket.changes[kind] : bucket.amounts[kind])),
  ])
  return {
    ...(Object.fromEntries(changes) as Record<keyof typeof CHANGE_OF, Term>),
    mrr: sum(bucket => bucket.mrrAfter - bucket.mrrBefore, before),
    mrr_at_start: sum(() => 0, before),
    mrr_change: sum(bucket => bucket.mrrAfter - bucket.mrrBefore),
    active_subscriptions: active('subscriptions'),
    active_customers: active('customers'),
    customers_at_start: sum(() => 0, BigInt(atStart.customers)),
  }
}
