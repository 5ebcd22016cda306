import type { Audit } from '../access/audit/audit.ts'
import { query } from '../platform/db/query.ts'
import { AppError, invalidField } from '../platform/errors.ts'
import { runningDownload } from '../platform/schema/download.ts'
import { type PageUrl, paginate, windowOf } from '../platform/schema/pagination.ts'
import { readByKey } from '../platform/schema/read-by-key.ts'
import type { Services } from '../platform/services.ts'
import { dayOf, isCalendarDate, startOfDay } from '../platform/time/local-time.ts'
import { announceChanges } from '../storage/events/announcements.ts'
import { deletePayment } from './ledger/change-payment.ts'
import { PAYMENT_COLUMNS, type PaymentRecord } from './ledger/payment.ts'
import { recordPayment, wrongCurrency } from './ledger/record-payment.ts'
import type {
  DeletePayment,
  ListPayments,
  Payment,
  PaymentDeleted,
  PaymentRecorded,
  RecordPayment,
} from './money-schema.ts'
import { idsOfSale, reconcilePayments } from './sales/reconcile-payments.ts'
import { inRepeatedTransaction } from './transactions.ts'

interface PaymentKey {
  paidAt: Date
  id: string
}

const selectPayments = query<
  { siteNo: number; before: Date; id: string; limit: number; offset: number },
  PaymentRecord
>(
  'list-payments',
  `select ${PAYMENT_COLUMNS}
  from payments
  where site_no = :siteNo and (paid_at, id) < (:before::timestamptz, :id::uuid)
  order by paid_at desc, id desc
  limit :limit
  offset :offset`,
)

const selectCustomerPayments = query<
  { siteNo: number; currency: string; customer: string; limit: number; offset: number },
  PaymentRecord
>(
  'list-customer-payments',
  `select ${PAYMENT_COLUMNS}
  from payments
  where site_no = :siteNo and currency = :currency and customer = :customer
  order by paid_at desc, id desc
  limit :limit
  offset :offset`,
)

/** Behind every payment: none is paid in the future. */
const END: PaymentKey = {
  paidAt: new Date('9999-12-31T00:00:00Z'),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

const countPayments = query<{ siteNo: number }, { count: number }>(
  'count-payments',
  'select count(*)::int as count from payments where site_no = :siteNo',
)

const countCustomerPayments = query<
  { siteNo: number; currency: string; customer: string },
  { count: number }
>(
  'count-customer-payments',
  `select count(*)::int as count
  from payments
  where site_no = :siteNo and currency = :currency and customer = :customer`,
)

interface Site {
  siteNo: number
  timezone: string
  currency: string
}

/** 1970, Unix milliseconds: no date range starts earlier. */
const EARLIEST = 0

/**
 * Records a payment that a server sent. If the `transaction_id` is already recorded, the recorded payment stays unchanged.
 * @param services.sayExisting called when the payment was already recorded
 * @throws AppError `validation_failed` for a currency other than the site's, or a time in the future or before 1970
 * @see docs/api.md "Payments"
 */
export async function createPayment(
  services: Pick<Services, 'db' | 'now'> & { sayExisting: () => void },
  site: Site,
  input: RecordPayment,
): Promise<PaymentRecorded> {
  if (input.currency !== site.currency) throw wrongCurrency(site.currency)
  const paidAt = timeOf(input.timestamp, site.timezone, services.now())
  const { created } = await inRepeatedTransaction(services.db, async tx => {
    announceChanges(tx, services.now())
    const ids = await idsOfSale(tx, site, input.transaction_id)
    const recorded = await recordPayment(tx, site, {
      // The fields of the same name: currency, email, name and the flags.
      ...input,
      transactionId: input.transaction_id,
      aliases: ids,
      amountMinor: input.amount,
      visitorId: input.visitor_id,
      sessionId: input.session_id,
      customerId: input.customer_id,
      isFreeTrial: input.is_free_trial,
      paidAt,
      source: 'api',
    })
    // The processor may have reported a refund before this request: without this line it would stay unapplied.
    if (ids) await reconcilePayments(tx, site, ids)
    return recorded
  })
  if (!created) services.sayExisting()
  const message = created ? 'Payment recorded' : 'Payment was recorded already'
  return { message, transaction_id: input.transaction_id }
}

/**
 * Deletes a payment that was recorded through the API. If the processor reported the same sale, its own payment is recorded
 * instead.
 * @throws AppError `not_found` when no payment has this id, or only the processor recorded it
 */
export async function removePayment(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  site: Site & { id: string },
  { transaction_id }: DeletePayment,
): Promise<PaymentDeleted> {
  const isDeleted = await inRepeatedTransaction(db, async tx => {
    const ids = await idsOfSale(tx, site, transaction_id)
    const isGone = await deletePayment(tx, site, transaction_id, 'api')
    if (isGone && ids) await reconcilePayments(tx, site, ids, transaction_id)
    if (isGone) {
      await audit(tx, {
        action: 'payment.delete',
        object: { type: 'payment', id: transaction_id },
        details: { site_id: site.id },
      })
    }
    return isGone
  })
  if (!isDeleted)
    throw new AppError('not_found', 'No payment of that transaction_id was recorded through the API')
  return { message: 'Payment deleted' }
}

/** Returns a page of the payments of a site or of one customer, including those of the processor, the newest first. */
export async function listPayments(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo, currency }: Pick<Site, 'siteNo' | 'currency'>,
  input: ListPayments,
) {
  const { db } = context
  if (input.customer !== undefined) {
    const of = { siteNo, currency, customer: input.customer }
    const [rows, [counted]] = await Promise.all([
      selectCustomerPayments(db, { ...of, ...windowOf(input) }),
      countCustomerPayments(db, of),
    ])
    return paginate(context, input, { rows: rows.map(presentPayment), total: counted!.count })
  }
  const count = async () => (await countPayments(db, { siteNo }))[0]!.count
  const select = ({ paidAt, id }: PaymentKey, window: { limit: number; offset: number }) =>
    selectPayments(db, { siteNo, before: paidAt, id, ...window })
  const readPage = async () => {
    const [rows, total] = await Promise.all([select(END, windowOf(input)), count()])
    return { rows, total }
  }
  const download = runningDownload()
  const { rows, total } = await (download?.isWhole
    ? readByKey<PaymentKey, PaymentRecord>(download, `payments ${siteNo}`, {
        count,
        read: (after = END, limit) => select(after, { limit, offset: 0 }),
        keyOf: ({ paidAt, id }) => ({ paidAt, id }),
      })
    : readPage())
  return paginate(context, input, { rows: rows.map(presentPayment), total })
}

/** Returns a payment as the API shows it. */
export function presentPayment(payment: PaymentRecord): Payment {
  return {
    transaction_id: payment.transactionId,
    amount: payment.amountMinor,
    currency: payment.currency,
    visitor_id: payment.visitorId,
    session_id: payment.sessionId,
    email: payment.email,
    name: payment.name,
    customer_id: payment.customerId,
    renewal: payment.renewal,
    refunded: payment.refunded,
    refunded_amount: payment.refundedMinor,
    is_free_trial: payment.isFreeTrial,
    recurring: payment.recurring,
    timestamp: payment.paidAt.toISOString(),
    source: payment.source,
    created_at: payment.createdAt.toISOString(),
  }
}

/** Returns the moment of a `timestamp`; a date stands for its first moment in the site's zone. */
function timeOf(timestamp: string | undefined, zone: string, now: Date): Date {
  if (timestamp === undefined) return now
  const isDate = isCalendarDate(timestamp)
  const at = isDate ? startOfDay(zone, dayOf(timestamp)) : Date.parse(timestamp)
  if (at > now.getTime()) throw invalidField('timestamp', 'timestamp must not lie in the future')
  if (!isDate && at < EARLIEST) throw invalidField('timestamp', 'timestamp must not lie before 1970')
  return new Date(at)
}
