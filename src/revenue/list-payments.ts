import { statement } from '../infra/db.ts'
import { type PageUrl, paginate, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { PaymentRecord } from './payment.ts'
import type { ListPayments, Payment } from './schema.ts'

const selectPayments = statement<PaymentRecord>('list-payments')
const countPayments = statement<{ count: number }>('count-payments')

/** Returns a page of the site's payments, including those of the processor, sorted by payment time, the newest first. */
export async function listPayments(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: { siteNo: number },
  query: ListPayments,
) {
  const { limit, offset } = windowOf(query)
  const [payments, [total]] = await Promise.all([
    selectPayments(context.db, siteNo, limit, offset),
    countPayments(context.db, siteNo),
  ])
  return paginate(context, query, { rows: payments.map(present), total: total!.count })
}

function present(payment: PaymentRecord): Payment {
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
    is_free_trial: payment.isFreeTrial,
    recurring: payment.recurring,
    timestamp: payment.paidAt.toISOString(),
    source: payment.source,
    created_at: payment.createdAt.toISOString(),
  }
}
