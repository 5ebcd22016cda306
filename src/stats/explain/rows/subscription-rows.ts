import type { ChangeKind } from '../../money/mrr-changes.ts'
import type { TermName } from '../explanation.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'
import { listCountedChanges, listSubscribedBefore } from './subscribed.ts'

/** Returns those with MRR at the end of the time span, or at its start. */
export async function listSubscribed(unit: 'subscription' | 'customer', wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, span } = wanted
  const isOfStart = terms.length === 1 && terms[0]!.endsWith('_at_start')
  const until = isOfStart ? span.start : span.end
  const rows = await listSubscribedBefore(explained, unit, until, wanted)
  return rows.map(({ at, id, customer, amount }) => {
    const mrr = BigInt(amount)
    const active = mrr > 0n ? 1n : 0n
    const ofRow = isOfStart
      ? { mrr_at_start: mrr, customers_at_start: active }
      : { mrr, active_subscriptions: active, active_customers: active }
    return listedRow({ at, id }, { id, customer, values: valuesOf(terms, ofRow) })
  })
}

/** The change that a term counts or adds up. */
const CHANGE_OF: Partial<Record<TermName, ChangeKind>> = {
  new_mrr: 'new',
  expansion_mrr: 'expansion',
  contraction_mrr: 'contraction',
  churned_mrr: 'churn',
  reactivation_mrr: 'reactivation',
  started_customers: 'new',
  reactivated_customers: 'reactivation',
  churned_customers: 'churn',
}

/** Returns changes of the MRR of customers. */
export async function listChanges(wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, span } = wanted
  const kinds = terms.flatMap(term => CHANGE_OF[term] ?? [])
  const changes = await listCountedChanges(explained, span, kinds, wanted)
  return changes.map(({ at, id, kind, amount }) => {
    const ofKind = terms.filter(term => CHANGE_OF[term] === kind)
    const amounts = ofKind.map(term => [term, term.endsWith('_customers') ? 1n : BigInt(amount)])
    return listedRow(
      { at, id },
      { id, customer: id, kind, values: valuesOf(terms, Object.fromEntries(amounts)) },
    )
  })
}
