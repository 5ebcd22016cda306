import {
  DeletePayment,
  ListPayments,
  PaymentDeleted,
  PaymentPage,
  PaymentRecorded,
  RecordPayment,
} from '../money/money-schema.ts'
import { createPayment, listPayments, removePayment } from '../money/site-payments.ts'
import { billedSiteProcedure, router } from './procedures.ts'

export const paymentsRouter = router({
  list: billedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/payments',
      summary: 'List payments',
      description:
        'By their time, the newest first, of the site or of one customer; those that came from the payment processor are there too.',
      answer: 'A page of payments.',
    })
    .input(ListPayments)
    .output(PaymentPage)
    .query(({ ctx, input }) => listPayments(ctx, ctx.site, input)),
  record: billedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/payments',
      ok: 201,
      existing: 200,
      scope: 'ingest',
      summary: 'Record a payment',
      description: 'Once per `transaction_id`: the first record stays, whatever is sent later.',
      answer: 'The payment is recorded.',
    })
    .input(RecordPayment)
    .output(PaymentRecorded)
    .mutation(({ ctx, input }) => createPayment(ctx, ctx.site, input)),
  delete: billedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/payments',
      summary: 'Delete a payment',
      description: 'One that was recorded through this API; never one that came from the payment processor.',
      answer: 'The payment is deleted.',
      not_found: 'No such site, or no such payment recorded through the API',
    })
    .input(DeletePayment)
    .output(PaymentDeleted)
    .mutation(({ ctx, input }) => removePayment(ctx, ctx.site, input)),
})
