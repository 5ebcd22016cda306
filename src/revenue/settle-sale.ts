import { statement, type Transaction } from '../infra/db.ts'
import { erasePayment, setRefunded } from './change-payment.ts'
import { type AnyFact, findNamedVisitor, loadSale } from './facts.ts'
import type { NewPayment, PaymentRecord } from './payment.ts'
import { lockProcessor } from './processor-lock.ts'
import { addAliases, recordPayment } from './record-payment.ts'
import { refundedBy } from './refunds.ts'
import type { Fact } from './stripe/event.ts'
import type { Paid } from './stripe/sales.ts'

const selectPayments = statement<PaymentRecord & { wasSentRefunded: boolean }>('select-payments-of-sale')
const selectRenewed = statement<{ key: string }>('select-renewed')

interface Site {
  siteNo: number
}

const PROCESSOR_IDS = /^(pi|ch|py|in|cs)_/

/**
 * All ids under which the processor knows the sale that somebody names by one. Until the transaction ends nothing more is
 * learned of it.
 * @returns undefined for an id that is none of the processor's
 */
export async function idsOfSale(
  tx: Transaction,
  { siteNo }: Site,
  id: string,
): Promise<string[] | undefined> {
  if (!PROCESSOR_IDS.test(id)) return undefined
  await lockProcessor(tx, siteNo)
  return (await loadSale(tx, siteNo, [id])).ids
}

/** A paid invoice or checkout: of what was said of it, the newest, and when it was first said. */
interface Payable {
  fact: Fact<'invoice' | 'checkout'>
  paid: Paid
  firstAt: Date
}

/**
 * Brings the payment of a sale in line with everything that the processor said of it: one payment, whichever of the ids
 * it is known by and wherever it was recorded first, less what was given back.
 * @param ids one or more of the sale
 * @param isNews true when what was paid is told right now; else only a payment that is recorded is changed
 */
export async function settleSale(
  tx: Transaction,
  site: Site,
  ids: readonly string[],
  isNews: boolean,
): Promise<void> {
  const sale = await loadSale(tx, site.siteNo, ids)
  const payables = payablesIn(sale.facts)
  const refunded = refundedBy(sale.facts)
  // One payment intent may pay several invoices: each is a payment, and what they share belongs to the first.
  const others = payables.slice(1)
  const foreign = new Set(others.map(({ paid }) => paid.transactionId))
  const shared = sale.ids.filter(id => !foreign.has(id))
  await settle(tx, site, shared, sale.facts, payables[0], refunded, isNews)
  for (const payable of others) {
    const facts = sale.facts.filter(fact => fact.objectId === payable.fact.objectId)
    await settle(tx, site, [payable.paid.transactionId], facts, payable, undefined, isNews)
  }
}

async function settle(
  tx: Transaction,
  site: Site,
  ids: string[],
  facts: readonly AnyFact[],
  payable: Payable | undefined,
  refunded: number | undefined,
  isNews: boolean,
): Promise<void> {
  const recorded = await selectPayments(tx, site.siteNo, ids)
  const sent = recorded.find(({ source }) => source === 'api')
  const ours = recorded.filter(({ source }) => source === 'processor')
  const isWanted = payable !== undefined && (isNews || ours.length > 0)
  const wanted = isWanted ? await paymentOf(tx, site, payable, facts, ids) : undefined
  if (wanted) {
    const right = sent ? undefined : ours.find(payment => isSame(payment, wanted))
    for (const payment of ours) if (payment !== right) await erasePayment(tx, site, payment.transactionId)
    await recordPayment(tx, site, { ...wanted, refundedMinor: refunded })
  } else if (recorded[0]) {
    await addAliases(tx, site.siteNo, recorded[0], ids)
  }
  if (refunded === undefined) return
  const payments = await selectPayments(tx, site.siteNo, ids)
  const refundedIds = new Set(facts.filter(isOfRefund).flatMap(({ saleIds }) => saleIds))
  // What was sent twice under two ids of one sale stays two payments: only one of them was given back.
  const bearer = payments.find(({ transactionId }) => refundedIds.has(transactionId)) ?? payments[0]
  for (const payment of payments) {
    if (payment.wasSentRefunded) continue
    const wantedMinor = payment === bearer ? Math.min(refunded, payment.amountMinor) : 0
    if (payment.refundedMinor !== wantedMinor) await setRefunded(tx, site, payment.transactionId, wantedMinor)
  }
}

const isOfRefund = ({ kind }: AnyFact) => kind === 'charge' || kind === 'refund'

async function paymentOf(
  tx: Transaction,
  { siteNo }: Site,
  { fact, paid, firstAt }: Payable,
  facts: readonly AnyFact[],
  ids: readonly string[],
): Promise<NewPayment> {
  const { subscriptionId, customerId } = fact
  const renewed = subscriptionId ? await selectRenewed(tx, siteNo, fact.objectId, subscriptionId) : []
  return {
    transactionId: paid.transactionId,
    aliases: ids.filter(id => id !== paid.transactionId),
    amountMinor: paid.amountMinor,
    currency: paid.currency,
    visitorId:
      firstNamed(facts) ?? (await findNamedVisitor(tx, siteNo, { subscriptionId, customerId })).visitorId,
    email: paid.email,
    name: paid.name,
    customerId,
    renewal: renewed.length > 0,
    refunded: false,
    isFreeTrial: false,
    recurring: subscriptionId !== null,
    paidAt: paid.paidAt === null ? firstAt : new Date(paid.paidAt),
    source: 'processor',
  }
}

/** What was paid, each once; an invoice outranks a checkout of the same sale. */
function payablesIn(facts: readonly AnyFact[]): Payable[] {
  const payables = new Map<string, Payable>()
  for (const fact of [...facts].sort(byTime)) {
    if (fact.kind !== 'invoice' && fact.kind !== 'checkout') continue
    const { objectId, at, body } = fact
    if (!body || body.amountMinor <= 0) continue
    payables.set(objectId, { fact, paid: body, firstAt: payables.get(objectId)?.firstAt ?? at })
  }
  const all = [...payables.values()]
  const invoices = all.filter(({ fact }) => fact.kind === 'invoice')
  return invoices.length > 0 ? invoices : all
}

const firstNamed = (facts: readonly AnyFact[]) =>
  [...facts].sort(byTime).find(({ visitorId }) => visitorId !== null)?.visitorId ?? null

const byTime = (a: AnyFact, b: AnyFact) => a.at.getTime() - b.at.getTime() || (a.eventId < b.eventId ? -1 : 1)

function isSame(payment: PaymentRecord, wanted: NewPayment): boolean {
  return (
    payment.transactionId === wanted.transactionId &&
    payment.amountMinor === wanted.amountMinor &&
    payment.currency === wanted.currency &&
    payment.visitorId === (wanted.visitorId || null) &&
    payment.email === (wanted.email || null) &&
    payment.name === (wanted.name || null) &&
    payment.customerId === (wanted.customerId || null) &&
    payment.renewal === wanted.renewal &&
    payment.recurring === wanted.recurring &&
    payment.paidAt.getTime() === wanted.paidAt.getTime()
  )
}
