import { query } from '../../../db/query.ts'
import type { ChangeKind } from '../../money/mrr-changes.ts'
import type { RowKind, TermName } from '../explanation.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'
import { listCountedChanges, listSubscribedBefore } from './subscribed.ts'

const selectTaxed = query<{ siteNo: number; ids: string[] }, { id: string }>(
  'select-subscriptions-with-tax',
  `select subscription_id as id
  from subscriptions
  where site_no = :siteNo and subscription_id = any(:ids::text[]) and state ? 'includesTax'`,
)

/** Returns rows of subscriptions, or of their movements, with what is known of tax in their MRR. */
export async function withTax({ explained }: Wanted, kind: RowKind, listed: Listed[]): Promise<Listed[]> {
  const idOf = ({ row }: Listed) => (kind === 'subscription' ? row.id : row.subscription_id)
  const ids = listed.flatMap(each => idOf(each) ?? [])
  if (ids.length === 0) return listed
  const { services, resolved } = explained
  const rows = await selectTaxed(services.reads, { siteNo: resolved.siteNo, ids })
  const taxed = new Set<string | null>(rows.map(({ id }) => id))
  return listed.map(each => ({ ...each, row: { ...each.row, includes_tax: taxed.has(idOf(each)) } }))
}

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
