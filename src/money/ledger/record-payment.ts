import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { type Attribution, attribute, awaitVisitor } from '../../storage/events/attribution.ts'
import { lockPayment } from '../transactions.ts'
import { announcePayment } from './announce-payment.ts'
import {
  customerOf,
  NEW_PAYMENT_COLUMNS,
  type NewPayment,
  PAYMENT_COLUMNS,
  type PaymentRecord,
  refundOf,
} from './payment.ts'
import { markTimes, type ServiceEvent, writeServiceEvents } from './service-events.ts'

/** Returns the payments that have one of the ids, as their own id or as an alias, the oldest first. */
export const findPayments = query<{ siteNo: number; ids: readonly string[] }, PaymentRecord>(
  'find-payments',
  `with named as (
    select id from payments where site_no = :siteNo::int and transaction_id = any(:ids::text[])
    union
    select payment_id from payment_aliases where site_no = :siteNo::int and transaction_id = any(:ids::text[])
  )
  select ${PAYMENT_COLUMNS}
  from payments
  where site_no = :siteNo::int and id in (select id from named)
  order by created_at, id`,
)

type PaymentRow = Omit<PaymentRecord, 'id' | 'createdAt' | 'wasSentRefunded' | 'aliases'> & { siteNo: number }

const insertPayment = query<PaymentRow, PaymentRecord>(
  'insert-payment',
  `insert into payments (
    site_no, transaction_id, amount_minor, refunded_minor, currency, visitor_id, session_id, email, name, customer_id,
    renewal, refunded, is_free_trial, recurring, paid_at, source, customer
  )
  values (
    :siteNo, :transactionId, :amountMinor, :refundedMinor, :currency, :visitorId, :sessionId, :email, :name, :customerId,
    :renewal, :refunded, :isFreeTrial, :recurring, :paidAt, :source, :customer
  )
  returning ${NEW_PAYMENT_COLUMNS}`,
)

/**
 * Adds nothing when the payment is being deleted. An id under which another payment was recorded stays with that payment.
 */
const insertAliases = query<{ siteNo: number; paymentId: string; transactionIds: string[] }>(
  'insert-payment-aliases',
  `insert into payment_aliases (site_no, transaction_id, payment_id)
  select :siteNo::int, named.transaction_id, payment.id
  from (select id from payments where site_no = :siteNo::int and id = :paymentId for key share) as payment
  cross join unnest(:transactionIds::text[]) as named (transaction_id)
  where not exists (
    select from payments where site_no = :siteNo::int and transaction_id = named.transaction_id
  )
  on conflict (site_no, transaction_id) do nothing`,
)

/** Writes the ledger row of a payment. */
const insertRevenue = query<Attribution & { paymentId: string; isFirstOfCustomer: boolean }>(
  'insert-revenue',
  `insert into revenue (
    site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer, visitor_no,
    session_no, session_at
  )
  select
    site_no, paid_at, id, currency, amount_minor, refunded_minor, recurring or renewal, :isFirstOfCustomer::boolean,
    :visitorNo::int, :sessionNo::bigint, :sessionAt::timestamptz
  from payments
  where id = :paymentId`,
)

/** Locks the site's row in share mode: otherwise its currency could change before the payment is written. */
export const shareCurrency = query<{ siteNo: number }, { currency: string }>(
  'share-site-currency',
  'select currency from sites where site_no = :siteNo and deleted_at is null for share',
)

/** The first two payments of a customer, refunded or not. Their lock allows to change their ledger rows: see `lock-payments`. */
const selectFirstPayments = query<
  { siteNo: number; currency: string; customer: string },
  { id: string; paidAt: Date }
>(
  'select-first-payments',
  `select id, paid_at as "paidAt"
  from payments
  where site_no = :siteNo and currency = :currency and customer = :customer
  order by paid_at, id
  limit 2
  for no key update`,
)

/**
 * Locks the payments whose ledger rows may change with one that is added to, or deleted from, those of a customer. Call it before the
 * payment is written: its trigger locks the customer's row in `customers`. Storing hits takes the two locks in this order, too.
 */
export const lockFirstPayments = query<{ siteNo: number; currency: string; customer: string }>(
  'lock-first-payments',
  `select id
  from payments
  where site_no = :siteNo and currency = :currency and customer = :customer
  order by paid_at, id
  limit 3
  for no key update`,
)

export const setFirstOfCustomer = query<
  { siteNo: number; at: Date; paymentId: string; isFirst: boolean },
  { at: Date }
>(
  'set-first-of-customer',
  `update revenue
  set is_first_of_customer = :isFirst
  where site_no = :siteNo and at = :at and payment_id = :paymentId and is_first_of_customer <> :isFirst
  returning at`,
)

/**
 * Returns the payment with one of these ids. A payment recorded under one of them comes before one that has it as an alias; among
 * several, the oldest.
 */
export async function findPayment(
  db: Queryable,
  siteNo: number,
  transactionIds: readonly string[],
): Promise<PaymentRecord | undefined> {
  const payments = await findPayments(db, { siteNo, ids: transactionIds })
  return payments.find(({ transactionId }) => transactionIds.includes(transactionId)) ?? payments[0]
}

/**
 * Records a payment once, even when other transactions record it at the same time: a row in `payments`, a row in the ledger,
 * and its service events. If a payment with any of the ids exists, that payment only gets the missing ids as aliases.
 * Must be called before the transaction locks the site's row or marks buckets.
 * @param isReplacement the payment takes the place of one that the transaction has deleted: it is no news
 * @returns the recorded payment; `created` is true when this call recorded it
 * @throws AppError `not_found` for a deleted site; `validation_failed` for an API payment in a currency other than the
 * site's; RangeError for an amount that is not an exact whole number above 0
 */
export async function recordPayment(
  tx: Transaction,
  { siteNo }: { siteNo: number },
  payment: NewPayment,
  isReplacement = false,
): Promise<{ created: boolean; payment: PaymentRecord }> {
  const { amountMinor } = payment
  if (!Number.isSafeInteger(amountMinor) || amountMinor < 1) {
    throw new RangeError(`${amountMinor} is no amount of a payment`)
  }
  const transactionIds = [payment.transactionId, ...(payment.aliases ?? [])]
  const customer = customerOf(payment)
  let known = await findPayment(tx, siteNo, transactionIds)
  if (!known) {
    await lockPayment(tx, siteNo, { ...payment, transactionIds, customer })
    known = await findPayment(tx, siteNo, transactionIds)
  }
  if (!known) {
    const recorded = await insert(tx, siteNo, payment, customer)
    if (!isReplacement) await announcePayment(tx, siteNo, recorded)
    return { created: true, payment: recorded }
  }
  await addAliases(tx, siteNo, known, transactionIds)
  return { created: false, payment: known }
}

/** Adds further ids to a payment. */
export async function addAliases(
  tx: Transaction,
  siteNo: number,
  { id, transactionId }: PaymentRecord,
  names: readonly string[],
): Promise<void> {
  const others = names.filter(name => name !== transactionId)
  if (others.length > 0) await insertAliases(tx, { siteNo, paymentId: id, transactionIds: others })
}

async function insert(
  tx: Transaction,
  siteNo: number,
  payment: NewPayment,
  customer: string,
): Promise<PaymentRecord> {
  const attribution = await attribute(tx, siteNo, payment.visitorId, payment.paidAt)
  await requireCurrency(tx, siteNo, payment)
  await lockFirstPayments(tx, { siteNo, currency: payment.currency, customer })
  const [row] = await insertPayment(tx, {
    ...payment,
    siteNo,
    refundedMinor: refundOf(payment),
    visitorId: payment.visitorId || null,
    sessionId: payment.sessionId || null,
    email: payment.email || null,
    name: payment.name || null,
    customerId: payment.customerId || null,
    customer,
  })
  const recorded = row!
  const { id, paidAt: at } = recorded
  await addAliases(tx, siteNo, recorded, payment.aliases ?? [])
  const { firstId, changed } = await updateFirstPayment(tx, siteNo, recorded)
  await insertRevenue(tx, { paymentId: id, isFirstOfCustomer: firstId === id, ...attribution })
  await awaitVisitor(tx, attribution, { siteNo, visitorId: payment.visitorId, target: 'revenue', at, id })
  await writeServiceEvents(tx, { siteNo }, serviceEventsOf(recorded))
  await markTimes(tx, 'revenue', siteNo, [{ at }, ...changed])
  return recorded
}

async function requireCurrency(tx: Transaction, siteNo: number, { source, currency }: NewPayment) {
  const [site] = await shareCurrency(tx, { siteNo })
  if (!site) throw new AppError('not_found', 'No such site')
  if (source === 'api' && currency !== site.currency) throw wrongCurrency(site.currency)
}

/** Returns the error for a payment that was sent in a currency other than the site's. */
export function wrongCurrency(currency: string): AppError {
  return invalidField('currency', `currency must be that of the site, ${currency}`)
}

/**
 * Updates the first-payment marks in the ledger after a payment of the customer was added or deleted: only the first payment
 * in a currency has the mark. The ledger row of the added payment need not exist yet.
 * @returns id of the first payment, and the times of the rows whose mark changed
 */
export async function updateFirstPayment(
  tx: Transaction,
  siteNo: number,
  { currency, customer }: Pick<PaymentRecord, 'currency' | 'customer'>,
): Promise<{ firstId: string | undefined; changed: { at: Date }[] }> {
  // An older payment can only have been the first before if it is the first or second now.
  const earliest = await selectFirstPayments(tx, { siteNo, currency, customer })
  const changed: { at: Date }[] = []
  for (const [index, { id, paidAt }] of earliest.entries()) {
    const isFirst = index === 0
    changed.push(...(await setFirstOfCustomer(tx, { siteNo, at: paidAt, paymentId: id, isFirst })))
  }
  return { firstId: earliest[0]?.id, changed }
}

/** Returns the events that the event log has for a payment. */
export function serviceEventsOf(payment: PaymentRecord): ServiceEvent[] {
  const { id, paidAt, visitorId, amountMinor, currency } = payment
  const properties = { amount: String(amountMinor), currency }
  const event = { at: paidAt, key: id, visitorId, properties }
  const events: ServiceEvent[] = [{ ...event, name: 'payment' }]
  if (payment.isFreeTrial && payment.source === 'api') events.push({ ...event, name: 'free_trial' })
  return events
}
