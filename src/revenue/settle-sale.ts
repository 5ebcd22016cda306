import { statement, type Transaction } from '../infra/db.ts'
import { erasePayment, setRefunded } from './change-payment.ts'
import { findNamedVisitor, loadSale } from './facts.ts'
import type { NewPayment, PaymentRecord } from './payment.ts'
import { lockProcessor } from './processor-lock.ts'
import { addAliases, recordPayment } from './record-payment.ts'
import { refundsIn } from './refunds.ts'
import {
  firstNamed,
  isPaidBy,
  type Part,
  type Payable,
  partsOf,
  type Transfer,
  transfersIn,
} from './sale-parts.ts'
import { spreadRefunds } from './spread-refunds.ts'

interface Recorded extends PaymentRecord {
  wasSentRefunded: boolean
  /** Further ids of the same payment. */
  aliases: string[]
}

const selectPayments = statement<Recorded>('select-payments-of-sale')
const deleteStaleAliases = statement('delete-stale-aliases')
const selectRenewed = statement<{ key: string }>('select-renewed')

interface Site {
  siteNo: number
}

const PROCESSOR_IDS = /^(pi|ch|py|in|cs)_/

/**
 * Returns all ids under which the processor knows the payment with this id. Holds the processor lock of the site, so that
 * no other transaction can link further ids before this one ends.
 * @returns undefined for an id that does not have the form of a processor id
 */
export async function idsOfSale(
  tx: Transaction,
  { siteNo }: Site,
  id: string,
): Promise<string[] | undefined> {
  if (!PROCESSOR_IDS.test(id)) return undefined
  await lockProcessor(tx, siteNo)
  const parts = partsOf(await loadSale(tx, siteNo, [id]))
  return parts.find(({ ids }) => ids.includes(id))!.ids
}

/**
 * Reconciles the payments of a sale with all facts from the processor: one payment for each invoice, whatever id it was
 * recorded under and by which source, with its refunds.
 * @param ids one or more ids of the sale
 * @param news id of the invoice or checkout that was paid just now, or of the payment that was deleted just now; for all
 * other parts only payments that are already recorded are changed
 * @returns whether the sale has more ids than `loadSale` reads
 */
export async function settleSale(
  tx: Transaction,
  site: Site,
  ids: readonly string[],
  news?: string,
): Promise<{ isCut: boolean }> {
  const sale = await loadSale(tx, site.siteNo, ids)
  const parts = partsOf(sale)
  const transfers = transfersIn(sale)
  // A cut sale has incomplete facts at its edge: change only the parts next to `ids`.
  const changed = sale.isCut ? parts.filter(part => isNear(part, transfers, ids)) : parts
  const recorded = await selectPayments(tx, site.siteNo, sale.ids)
  for (const part of changed) {
    await settle(tx, site, part, recorded, news !== undefined && part.ids.includes(news))
  }
  const refunds = refundsIn(sale.facts)
  if (!refunds) return sale
  const payments = await selectPayments(tx, site.siteNo, sale.ids)
  const bearers = parts.map(part => ({ ids: part.ids, payments: payments.filter(isUnder(part)) }))
  const wanted = spreadRefunds(bearers, transfers, refunds)
  for (const payment of changed.flatMap(part => payments.filter(isUnder(part)))) {
    const { transactionId, refundedMinor, wasSentRefunded } = payment
    const wantedMinor = wanted.get(transactionId) ?? 0
    if (wasSentRefunded || refundedMinor === wantedMinor) continue
    await setRefunded(tx, site, transactionId, wantedMinor)
  }
  return sale
}

/** Whether a part has one of the ids, or was paid by a transfer that has one. */
function isNear(part: Part, transfers: readonly Transfer[], ids: readonly string[]): boolean {
  if (ids.some(id => part.ids.includes(id))) return true
  return transfers.some(each => isPaidBy(part.ids[0]!, each) && ids.some(id => each.ids.has(id)))
}

const isUnder =
  ({ ids }: Part) =>
  ({ transactionId }: PaymentRecord) =>
    ids.includes(transactionId)

/** @param recorded payments of the whole sale, the oldest first */
async function settle(
  tx: Transaction,
  site: Site,
  part: Part,
  recorded: readonly Recorded[],
  isNews: boolean,
): Promise<void> {
  const { ids, payable } = part
  const own = recorded.filter(isUnder(part))
  const sent = own.filter(({ source }) => source === 'api')
  const ours = own.filter(({ source }) => source === 'processor')
  const isKnown = recorded.some(({ aliases }) => aliases.includes(ids[0]!))
  const isWanted = payable !== undefined && (isNews || isKnown || ours.length > 0)
  const wanted = isWanted ? await paymentOf(tx, site, part, payable) : undefined
  const right = wanted && (sent.length > 0 ? undefined : ours.find(payment => isSame(payment, wanted)))
  for (const payment of wanted ? ours : []) {
    if (payment !== right) await erasePayment(tx, site, payment.transactionId)
  }
  // Ids that were linked before may belong to separate payments: remove the aliases that other payments have on these ids.
  const others = recorded.filter(payment => !own.includes(payment))
  if (others.some(({ aliases }) => aliases.some(id => ids.includes(id)))) {
    const stay = own.map(({ id }) => id)
    await deleteStaleAliases(tx, site.siteNo, ids, stay)
  }
  if (wanted) await recordPayment(tx, site, wanted)
  else if (own[0]) await addAliases(tx, site.siteNo, own[0], ids)
}

async function paymentOf(
  tx: Transaction,
  { siteNo }: Site,
  { ids, facts }: Part,
  { fact, paid, firstAt }: Payable,
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
