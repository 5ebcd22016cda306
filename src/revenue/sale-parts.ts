import type { AnyFact, Sale } from './facts.ts'
import type { Fact } from './stripe/event.ts'
import type { Paid } from './stripe/sales.ts'

/** A paid invoice or checkout: of what was said of it, the newest, and when it was first said. */
export interface Payable {
  fact: Fact<'invoice' | 'checkout'>
  paid: Paid
  firstAt: Date
}

/** What becomes one payment. */
export interface Part {
  /** All ids it is known by, before all others that of its invoice or checkout. */
  ids: string[]
  /** Undefined as long as nobody told what was paid. */
  payable: Payable | undefined
  /** What was said of it, and not of other parts alone; none without a payable, since nobody asks. */
  facts: AnyFact[]
}

/** A payment intent with its charges and checkout, as far as they are known. */
export interface Transfer {
  ids: ReadonlySet<string>
  invoices: ReadonlySet<string>
}

const isInvoice = (id: string) => id.startsWith('in_')

/**
 * The payments that a sale is made of, the oldest first: one for each invoice, since one payment intent may pay several,
 * else one for each checkout, else one. What several invoices share is of the first of them.
 */
export function partsOf({ ids, facts }: Pick<Sale, 'ids' | 'facts'>): Part[] {
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

/** The ways in which money of a sale moved, each with the invoices that it paid. */
export function transfersIn({ ids, facts }: Pick<Sale, 'ids' | 'facts'>): Transfer[] {
  const transfers: { ids: Set<string>; invoices: Set<string> }[] = []
  for (const start of ids) {
    if (isInvoice(start) || transfers.some(transfer => transfer.ids.has(start))) continue
    const transfer = { ids: new Set([start]), invoices: new Set<string>() }
    // A set goes on with what is added to it meanwhile.
    for (const id of transfer.ids) {
      for (const fact of facts) {
        if (!fact.saleIds.includes(id)) continue
        // An invoice may name several intents that have nothing else in common.
        const linked = fact.kind === 'invoice' ? [fact.objectId] : fact.saleIds
        for (const other of linked) (isInvoice(other) ? transfer.invoices : transfer.ids).add(other)
      }
    }
    transfers.push(transfer)
  }
  return transfers
}

/** What was paid, each once, the oldest first; invoices outrank the checkout whose intent paid them. */
function payablesIn(facts: readonly AnyFact[], transfers: readonly Transfer[]): Payable[] {
  const payables = new Map<string, Payable>()
  for (const fact of [...facts].sort(byTime)) {
    if (fact.kind !== 'invoice' && fact.kind !== 'checkout') continue
    const { objectId, at, body } = fact
    if (!body || body.amountMinor <= 0) continue
    payables.set(objectId, { fact, paid: body, firstAt: payables.get(objectId)?.firstAt ?? at })
  }
  const all = [...new Map([...payables.values()].map(each => [each.paid.transactionId, each])).values()]
  const billed = transfers.filter(({ invoices }) => [...invoices].some(id => payables.has(id)))
  const timeOf = ({ paid, firstAt }: Payable) => paid.paidAt ?? firstAt.getTime()
  return all
    .filter(({ paid }) => !billed.some(({ ids }) => ids.has(paid.transactionId)))
    .sort((a, b) => timeOf(a) - timeOf(b) || (a.paid.transactionId < b.paid.transactionId ? -1 : 1))
}

/** The visitor that the first of these facts with one names. */
export const firstNamed = (facts: readonly AnyFact[]) =>
  [...facts].sort(byTime).find(({ visitorId }) => visitorId !== null)?.visitorId ?? null

const byTime = (a: AnyFact, b: AnyFact) => a.at.getTime() - b.at.getTime() || (a.eventId < b.eventId ? -1 : 1)
