import { AppError, invalidField } from '../errors.ts'
import { dayOf, isCalendarDate, startOfDay } from '../infra/local-time.ts'
import type { Services } from '../infra/services.ts'
import { deletePayment } from './change-payment.ts'
import { recordPayment, wrongCurrency } from './record-payment.ts'
import type { DeletePayment, PaymentDeleted, PaymentRecorded, RecordPayment } from './schema.ts'
import { idsOfSale, settleSale } from './settle-sale.ts'

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
 * @see spec.md "POST /api/sites/{siteKey}/payments"
 */
export async function createPayment(
  services: Pick<Services, 'db' | 'now'> & { sayExisting: () => void },
  site: Site,
  input: RecordPayment,
): Promise<PaymentRecorded> {
  if (input.currency !== site.currency) throw wrongCurrency(site.currency)
  const paidAt = timeOf(input.timestamp, site.timezone, services.now())
  const { created } = await services.db.begin(async tx => {
    const ids = await idsOfSale(tx, site, input.transaction_id)
    const recorded = await recordPayment(tx, site, {
      transactionId: input.transaction_id,
      aliases: ids,
      amountMinor: input.amount,
      currency: input.currency,
      visitorId: input.visitor_id,
      sessionId: input.session_id,
      email: input.email,
      name: input.name,
      customerId: input.customer_id,
      renewal: input.renewal,
      refunded: input.refunded,
      isFreeTrial: input.is_free_trial,
      recurring: input.recurring,
      paidAt,
      source: 'api',
    })
    // The processor may have reported a refund before this request: without this line it would stay unapplied.
    if (ids) await settleSale(tx, site, ids)
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
  { db }: Pick<Services, 'db'>,
  site: Site,
  { transaction_id }: DeletePayment,
): Promise<PaymentDeleted> {
  const isDeleted = await db.begin(async tx => {
    const ids = await idsOfSale(tx, site, transaction_id)
    const isGone = await deletePayment(tx, site, transaction_id)
    if (isGone && ids) await settleSale(tx, site, ids, transaction_id)
    return isGone
  })
  if (!isDeleted)
    throw new AppError('not_found', 'No payment of that transaction_id was recorded through the API')
  return { message: 'Payment deleted' }
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
