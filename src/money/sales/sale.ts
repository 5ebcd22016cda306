import type { Queryable } from '../../platform/db/connect.ts'
import {
  type AnyFact,
  byTime,
  isOfSale,
  loadSaleFacts,
  type SaleFact,
  withoutReported,
} from '../processor/facts.ts'
import type { Paid } from '../processor/sale-objects.ts'

/** All ids and facts of a sale. */
export interface Sale {
  ids: string[]
  facts: AnyFact[]
  /** Further linked ids exist that were not read. */
  isCut: boolean
}

/** An invoice with a hundred payments, each an intent and a charge, has 201 ids. */
export const MOST_IDS = 250
/** An invoice, its intent and its charge take two steps; each further invoice that shares an intent takes two more. */
export const MOST_STEPS = 16

/**
 * Returns all facts of a sale. It follows the ids that events link: an invoice and its payment intent, the payment intent and
 * its charge. Ids more than 16 steps away, or beyond 250 ids, are left out.
 * @param ids one or more ids of the sale
 */
export async function loadSale(db: Queryable, siteNo: number, ids: readonly string[]): Promise<Sale> {
  const known = new Set<string>()
  const facts = new Map<string, AnyFact>()
  let next = [...new Set(ids)]
  let isCut = false
  for (let step = 0; next.length > 0 && step < MOST_STEPS; step++) {
    for (const id of next) known.add(id)
    const found = await loadSaleFacts(db, { siteNo, ids: next })
    for (const fact of found) facts.set(`${fact.eventId}/${fact.kind}/${fact.objectId}`, fact)
    const linked = new Set(found.flatMap(({ saleIds }) => saleIds).filter(id => !known.has(id)))
    const room = Math.max(0, MOST_IDS - known.size)
    isCut ||= linked.size > room
    next = [...linked].sort().slice(0, room)
  }
  isCut ||= next.length > 0
  const isPart = ({ kind, objectId }: AnyFact) => kind !== 'invoice' || known.has(objectId)
  return { ids: [...known].sort(), facts: [...facts.values()].filter(isPart), isCut }
}

/** Something that was paid: its newest fact, and the time of its first one. */
export interface Payable {
  fact: SaleFact
  paid: Paid
  firstAt: Date
}

/** The ids and facts that become one payment. */
export interface SalePart {
  /** All ids of the payment. The first is the id of its invoice or checkout, if it has one. */
  ids: string[]
  /** Undefined until an event reports the paid amount. */
  payable: Payable | undefined
  /** Facts of this part, without those that concern only other parts. Empty without a payable: no caller needs them then. */
  facts: AnyFact[]
}

/** A payment intent with its known charges and checkout. */
export interface Transfer {
  ids: ReadonlySet<string>
  invoices: ReadonlySet<string>
}

export const isInvoice = (id: string) => id.startsWith('in_')

/**
 * Splits a sale into its payments, the oldest first: one for each invoice, because one payment intent may pay several
 * invoices; else one for each checkout; else one. Ids that several invoices share belong to the first of them.
 */
export function partsOf({ ids, facts }: Pick<Sale, 'ids' | 'facts'>): SalePart[] {
  const transfers = transfersIn({ ids, facts })
  const payables = payablesIn(facts, transfers)
  const heads = payables.map(({ paid }) => paid.transactionId)
  const isBill = heads.length === 0 || heads.some(isInvoice)
  if (isBill) heads.push(...ids.filter(id => isInvoice(id) && !heads.includes(id)))
  if (heads.length === 0) return [{ ids: [...ids], payable: undefined, facts: [] }]
  const idsOf = new Map(heads.map(head => [head, [head]]))
  const rest = new Set(ids.filter(id => !idsOf.has(id)))
  for (const transfer of transfers) {
    const head = heads.find(each => isPaidBy(each, transfer)) ?? heads[0]!
    for (const id of transfer.ids) if (rest.delete(id)) idsOf.get(head)!.push(id)
  }
  idsOf.get(heads[0]!)!.push(...rest)
  return heads.map((head, index) => {
    const payable = payables[index]
    const own = idsOf.get(head)!
    const shared = transfers.filter(transfer => isPaidBy(head, transfer)).flatMap(each => [...each.ids])
    const names = new Set([...own, ...shared])
    const isOf = ({ saleIds }: AnyFact) =>
      saleIds.includes(head) || (saleIds.some(id => names.has(id)) && !saleIds.some(id => idsOf.has(id)))
    return { ids: own, payable, facts: payable ? facts.filter(isOf) : [] }
  })
}

/** @param head first id of a part */
export const isPaidBy = (head: string, transfer: Transfer) =>
  transfer.invoices.has(head) || transfer.ids.has(head)

/** Groups the ids of a sale by transfer, each with the invoices that it paid. */
export function transfersIn({ ids, facts }: Pick<Sale, 'ids' | 'facts'>): Transfer[] {
  const transfers: { ids: Set<string>; invoices: Set<string> }[] = []
  for (const start of ids) {
    if (isInvoice(start) || transfers.some(transfer => transfer.ids.has(start))) continue
    const transfer = { ids: new Set([start]), invoices: new Set<string>() }
    // The iteration of a Set also visits ids that the loop adds.
    for (const id of transfer.ids) {
      for (const fact of facts) {
        if (!fact.saleIds.includes(id)) continue
        // Do not follow the other ids of an invoice: it can refer to several intents that have nothing else in common.
        const linked = fact.kind === 'invoice' ? [fact.objectId] : fact.saleIds
        for (const other of linked) (isInvoice(other) ? transfer.invoices : transfer.ids).add(other)
      }
    }
    transfers.push(transfer)
  }
  return transfers
}

/**
 * Returns each paid invoice, checkout and payment intent once, the oldest first. Omits a checkout whose intent paid one of the invoices, and
 * an intent that paid one or belongs to a checkout.
 */
function payablesIn(facts: readonly AnyFact[], transfers: readonly Transfer[]): Payable[] {
  const payables = new Map<string, Payable>()
  for (const fact of withoutReported(facts).sort(byTime)) {
    if (!isOfSale(fact)) continue
    const { objectId, at, body } = fact
    if (!body || body.amountMinor <= 0) continue
    payables.set(objectId, { fact, paid: body, firstAt: payables.get(objectId)?.firstAt ?? at })
  }
  // A checkout has the transaction id of its intent, and says more.
  const intentsFirst = [...payables.values()].sort((a, b) => Number(isIntent(b)) - Number(isIntent(a)))
  const all = [...new Map(intentsFirst.map(each => [each.paid.transactionId, each])).values()]
  const billed = transfers.filter(({ invoices }) => [...invoices].some(id => payables.has(id)))
  const timeOf = ({ paid, firstAt }: Payable) => paid.paidAt ?? firstAt.getTime()
  return all
    .filter(({ paid }) => !billed.some(({ ids }) => ids.has(paid.transactionId)))
    .sort((a, b) => timeOf(a) - timeOf(b) || (a.paid.transactionId < b.paid.transactionId ? -1 : 1))
}

const isIntent = ({ fact }: Payable) => fact.kind === 'intent'

/** Returns the visitor of the earliest fact that names one. */
export const firstNamed = (facts: readonly AnyFact[]) =>
  [...facts].sort(byTime).find(({ visitorId }) => visitorId !== null)?.visitorId ?? null
