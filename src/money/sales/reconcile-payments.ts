import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { announceRefund } from '../ledger/announce-payment.ts'
import { deletePayment, setRefunded } from '../ledger/change-payment.ts'
import type { NewPayment, PaymentRecord } from '../ledger/payment.ts'
import { addAliases, findPayments, recordPayment } from '../ledger/record-payment.ts'
import { findNamedVisitor } from '../processor/facts.ts'
import { lockProcessor } from '../transactions.ts'
import { isAnyRefunded, refundsIn, spreadRefunds } from './refunds.ts'
import {
  firstNamed,
  isPaidBy,
  loadSale,
  type Payable,
  partsOf,
  type SalePart,
  type Transfer,
  transfersIn,
} from './sale.ts'

/** Deletes the aliases with these ids that belong to other payments than the given ones. */
const deleteStaleAliases = query<{ siteNo: number; ids: string[]; paymentIds: string[] }>(
  'delete-stale-aliases',
  `delete from payment_aliases
  where site_no = :siteNo and transaction_id = any(:ids::text[]) and payment_id <> all(:paymentIds::uuid[])`,
)

/** Returns one row when the invoice paid for a later cycle of its subscription. */
const selectRenewal = query<{ siteNo: number; subscriptionId: string; invoiceId: string }, { key: string }>(
  'select-renewal',
  `select key
  from lifecycle_events
  where
    site_no = :siteNo and subscription_id = :subscriptionId and name = 'subscription_renewed' and key = :invoiceId`,
)

const PROCESSOR_IDS = /^(pi|ch|py|in|cs)_/

/**
 * Returns all ids under which the processor knows the payment with this id. Holds the processor lock of the site, so that
 * no other transaction can link further ids before this one ends.
 * @returns undefined for an id that does not have the form of a processor id
 */
export async function idsOfSale(
  tx: Transaction,
  { siteNo }: { siteNo: number },
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
 * @param changedId id of the invoice or checkout that was paid just now, or of the payment that was deleted just now; for all
 * other parts only payments that are already recorded are changed
 * @returns whether the sale has more ids than `loadSale` reads
 */
export async function reconcilePayments(
  tx: Transaction,
  site: { siteNo: number },
  ids: readonly string[],
  changedId?: string,
): Promise<{ isCut: boolean }> {
  const sale = await loadSale(tx, site.siteNo, ids)
  const parts = partsOf(sale)
  const transfers = transfersIn(sale)
  // A cut sale has incomplete facts at its edge: change only the parts next to `ids`.
  const changed = sale.isCut ? parts.filter(part => isNear(part, transfers, ids)) : parts
  const recorded = await findPayments(tx, { siteNo: site.siteNo, ids: sale.ids })
  for (const part of changed) {
    const mayRecord = changedId !== undefined && part.ids.includes(changedId)
    await reconcilePart(tx, site, part, recorded, mayRecord)
  }
  const refunds = refundsIn(sale.facts)
  // A cut sale has refunds that were not read.
  const mayBeUndone = !sale.isCut && recorded.some(({ refundedMinor }) => refundedMinor > 0)
  if (!mayBeUndone && !isAnyRefunded(refunds)) return sale
  const payments = await findPayments(tx, { siteNo: site.siteNo, ids: sale.ids })
  const withPayments = parts.map(part => ({ ids: part.ids, payments: payments.filter(isUnder(part)) }))
  const wanted = spreadRefunds(withPayments, transfers, refunds)
  for (const payment of changed.flatMap(part => payments.filter(isUnder(part)))) {
    const { transactionId, refundedMinor, wasSentRefunded } = payment
    const wantedMinor = wanted.get(transactionId) ?? 0
    if (wasSentRefunded || refundedMinor === wantedMinor) continue
    await setRefunded(tx, site, transactionId, wantedMinor)
    // A payment that was recorded anew keeps what was refunded of the one before it.
    const part = changed.find(({ ids }) => ids.includes(transactionId))!
    const before = Math.max(0, ...recorded.filter(isUnder(part)).map(each => each.refundedMinor))
    const refundedNow = Math.min(wantedMinor, payment.amountMinor)
    if (refundedNow > before) await announceRefund(tx, site.siteNo, payment, refundedNow)
  }
  return sale
}

/** Whether a part has one of the ids, or was paid by a transfer that has one. */
function isNear(part: SalePart, transfers: readonly Transfer[], ids: readonly string[]): boolean {
  if (ids.some(id => part.ids.includes(id))) return true
  return transfers.some(each => isPaidBy(part.ids[0]!, each) && ids.some(id => each.ids.has(id)))
}

const isUnder =
  ({ ids }: SalePart) =>
  ({ transactionId }: PaymentRecord) =>
    ids.includes(transactionId)

/**
 * @param recorded payments of the whole sale, the oldest first
 * @param mayRecord whether a payment of this part is recorded if there is none yet
 */
async function reconcilePart(
  tx: Transaction,
  site: { siteNo: number },
  part: SalePart,
  recorded: readonly PaymentRecord[],
  mayRecord: boolean,
): Promise<void> {
  const { ids, payable } = part
  const own = recorded.filter(isUnder(part))
  const sent = own.filter(({ source }) => source === 'api')
  const ours = own.filter(({ source }) => source === 'processor')
  const isKnown = recorded.some(({ aliases }) => aliases.includes(ids[0]!))
  const isWanted = payable !== undefined && (mayRecord || isKnown || ours.length > 0)
  const wanted = isWanted ? await paymentOf(tx, site, part, payable) : undefined
  const right = wanted && (sent.length > 0 ? undefined : ours.find(payment => isSame(payment, wanted)))
  for (const payment of wanted ? ours : []) {
    if (payment !== right) await deletePayment(tx, site, payment.transactionId, 'any')
  }
  // Ids that were linked before may belong to separate payments: remove the aliases that other payments have on these ids.
  const others = recorded.filter(payment => !own.includes(payment))
  if (others.some(({ aliases }) => aliases.some(id => ids.includes(id)))) {
    await deleteStaleAliases(tx, { siteNo: site.siteNo, ids, paymentIds: own.map(({ id }) => id) })
  }
  if (wanted) await recordPayment(tx, site, wanted, ours.length > 0)
  else if (own[0]) await addAliases(tx, site.siteNo, own[0], ids)
}

async function paymentOf(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  part: SalePart,
  payable: Payable,
): Promise<NewPayment> {
  const { subscriptionId, customerId, objectId } = payable.fact
  const renewals = subscriptionId
    ? await selectRenewal(tx, { siteNo, subscriptionId, invoiceId: objectId })
    : []
  const named =
    firstNamed(part.facts) ?? (await findNamedVisitor(tx, siteNo, { subscriptionId, customerId })).visitorId
  return planPayment(part, payable, named, renewals.length > 0)
}

/** Returns the payment of a part of a sale. */
export function planPayment(
  { ids }: SalePart,
  { fact, paid, firstAt }: Payable,
  visitorId: string | null,
  isRenewal: boolean,
): NewPayment {
  return {
    transactionId: paid.transactionId,
    aliases: ids.filter(id => id !== paid.transactionId),
    amountMinor: paid.amountMinor,
    currency: paid.currency,
    visitorId,
    email: paid.email,
    name: paid.name,
    customerId: fact.customerId,
    renewal: isRenewal,
    refunded: false,
    isFreeTrial: false,
    recurring: fact.subscriptionId !== null,
    paidAt: paid.paidAt === null ? firstAt : new Date(paid.paidAt),
    source: 'processor',
  }
}

type Field = keyof NewPayment & keyof PaymentRecord
const PAID: Field[] = ['transactionId', 'amountMinor', 'currency', 'renewal', 'recurring', 'paidAt']
const COMPARED: Field[] = [...PAID, 'visitorId', 'email', 'name', 'customerId']

/** Absent, null and empty all mean unknown. */
export const isSame = (payment: PaymentRecord, wanted: NewPayment): boolean =>
  COMPARED.every(field => isDeepStrictEqual(payment[field] || null, wanted[field] || null))
