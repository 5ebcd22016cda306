import { boundsOf } from '../../time/range.ts'
import { isUnfiltered, type ResolvedQuery, wholePart } from '../filters/resolved-query.ts'
import { type ChangeKind, countMrrChanges } from '../money/mrr-changes.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { Term } from './parts.ts'
import type { Explained } from './source.ts'

/** Recurring revenue and its customers; those at the end of the period include what there was before it. */
export type RecurringTerm =
  | 'mrr'
  | 'mrr_at_start'
  | 'mrr_change'
  | 'new_mrr'
  | 'expansion_mrr'
  | 'contraction_mrr'
  | 'churned_mrr'
  | 'reactivation_mrr'
  | 'active_subscriptions'
  | 'active_customers'
  | 'customers_at_start'
  | 'started_customers'
  | 'reactivated_customers'
  | 'churned_customers'

/** How many more customers and subscriptions have MRR above 0 at the end of each part; part −1 is all time before the first. */
const explainSubscribed = filteredQuery<
  { currency: string; bounds: Date[] },
  { bucket: number; unit: 'customer' | 'subscription'; change: number }
>('explain-subscribed', ['filtered_movements'])

/** Movements of recurring revenue are never dropped; what filters keep of them begins with the details of the site. */
export const movementsOf = (resolved: ResolvedQuery): ResolvedQuery =>
  isUnfiltered(resolved) ? wholePart(resolved) : resolved

/** Returns what recurring revenue consists of. All its sources are movements. */
export async function explainRecurring(explained: Explained): Promise<Record<RecurringTerm, Term>> {
  const { services, site, parts } = explained
  const resolved = movementsOf(explained.resolved)
  const params = { currency: site.currency, bounds: boundsOf(parts) }
  const [{ periods }, subscribed] = await Promise.all([
    countMrrChanges(services, site, [{ resolved, buckets: parts }]),
    parts.length > 0 ? explainSubscribed(services.reads, resolved, { params }) : [],
  ])
  const { buckets } = periods[0]!
  const before = buckets[0]?.mrrBefore ?? 0n
  const sum = (amountOf: (bucket: (typeof buckets)[number]) => number | bigint, before?: bigint) =>
    termOf(
      buckets.map(bucket => BigInt(amountOf(bucket))),
      before,
    )
  const active = (unit: 'customer' | 'subscription') => {
    const changes = parts.map(() => 0n)
    let earlier = 0n
    for (const row of subscribed) {
      if (row.unit !== unit) continue
      if (row.bucket < 0) earlier += BigInt(row.change)
      else changes[row.bucket]! += BigInt(row.change)
    }
    return termOf(changes, earlier)
  }
  const amount = (kind: ChangeKind) => sum(bucket => bucket.amounts[kind])
  const changes = (kind: ChangeKind) => sum(bucket => bucket.changes[kind])
  const customers = active('customer')
  return {
    mrr: sum(bucket => bucket.mrrAfter - bucket.mrrBefore, before),
    mrr_at_start: startOf(before, parts.length),
    mrr_change: sum(bucket => bucket.mrrAfter - bucket.mrrBefore),
    new_mrr: amount('new'),
    expansion_mrr: amount('expansion'),
    contraction_mrr: amount('contraction'),
    churned_mrr: amount('churn'),
    reactivation_mrr: amount('reactivation'),
    active_subscriptions: active('subscription'),
    active_customers: customers,
    customers_at_start: startOf(customers.before!, parts.length),
    started_customers: changes('new'),
    reactivated_customers: changes('reactivation'),
    churned_customers: changes('churn'),
  }
}

function termOf(buckets: bigint[], before?: bigint): Term {
  const total = buckets.reduce((sum, part) => sum + part, before ?? 0n)
  return {
    total,
    buckets,
    sources: total === 0n ? {} : { rows: total },
    ...(before !== undefined && { before }),
  }
}

/** A number of the time before the range: no part of the range adds to it. */
const startOf = (before: bigint, parts: number): Term =>
  termOf(
    Array.from({ length: parts }, () => 0n),
    before,
  )

/** Returns a term of one of the parts alone; what came before that part counts as before. */
export function cutTo(term: Term, index: number): Term {
  const { before } = term
  const earlier = term.buckets.slice(0, index).reduce((sum, part) => sum + part, 0n)
  return termOf([term.buckets[index]!], before === undefined ? undefined : before + earlier)
}
