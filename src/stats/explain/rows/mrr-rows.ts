import { query } from '../../../platform/db/query.ts'
import { countAsked } from '../../counts/count-filtered.ts'
import type { ChangeKind } from '../../money/mrr-changes.ts'
import type { RowKind } from '../explanation.ts'
import { CHANGE_OF, countsCustomers, moneyPart } from '../money-terms.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'

const selectTaxed = query<{ siteNo: number; ids: string[] }, { id: string }>(
  'select-subscriptions-with-tax',
  `select subscription_id as id
  from subscriptions
  where site_no = :siteNo and subscription_id = any(:ids::text[]) and state ? 'includesTax'`,
)

/** Returns rows of subscriptions, or of their movements, with what is known of tax in their MRR. */
export async function withTax(
  { services, site }: Wanted,
  kind: RowKind,
  listed: Listed[],
): Promise<Listed[]> {
  const idOf = ({ row }: Listed) => (kind === 'subscription' ? row.id : row.subscription_id)
  const ids = listed.flatMap(each => idOf(each) ?? [])
  if (ids.length === 0) return listed
  const rows = await selectTaxed(services.reads, { siteNo: site.siteNo, ids })
  const taxed = new Set<string | null>(rows.map(({ id }) => id))
  return listed.map(each => ({ ...each, row: { ...each.row, includes_tax: taxed.has(idOf(each)) } }))
}

/** Returns those with MRR at the end of the time span, or at its start, those first whose MRR changed last. */
export async function listSubscribed(unit: 'subscription' | 'customer', wanted: Wanted): Promise<Listed[]> {
  const { services, site, terms, span, after, limit } = wanted
  const isOfStart = terms.length === 1 && terms[0]!.endsWith('_at_start')
  const until = (isOfStart ? span.start : span.end).getTime()
  const asked = { currency: site.currency, unit, until, after, limit }
  const rows = await countAsked(services, moneyPart(wanted), 'subscribed', asked)
  return rows.map(({ customer, amount: mrr, ...key }) => {
    const active = mrr > 0n ? 1n : 0n
    const ofRow = isOfStart
      ? { mrr_at_start: mrr, customers_at_start: active }
      : { mrr, active_subscriptions: active, active_customers: active }
    return listedRow(key, { id: key.id, customer, values: valuesOf(terms, ofRow) })
  })
}

const changeOf = (term: string) => (CHANGE_OF as Partial<Record<string, ChangeKind>>)[term]

/** Returns changes of the MRR of customers. */
export async function listChanges(wanted: Wanted): Promise<Listed[]> {
  const { services, site, terms, span, after, limit } = wanted
  const asked = {
    ...{ currency: site.currency, after, limit },
    kinds: terms.flatMap(term => changeOf(term) ?? []),
    start: span.start.getTime(),
    end: span.end.getTime(),
  }
  const changes = await countAsked(services, moneyPart(wanted), 'changesOfKinds', asked)
  return changes.map(({ kind, amount, ...key }) => {
    const ofKind = terms.filter(term => changeOf(term) === kind)
    const amounts = ofKind.map(term => [term, countsCustomers(term) ? 1n : amount])
    return listedRow(key, {
      ...{ id: key.id, customer: key.id, kind },
      values: valuesOf(terms, Object.fromEntries(amounts)),
    })
  })
}
