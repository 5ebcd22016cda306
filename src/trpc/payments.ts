import { listPayments } from '../revenue/list-payments.ts'
import { createPayment, removePayment } from '../revenue/payments.ts'
import {
  DeletePayment,
  ListPayments,
  PaymentDeleted,
  PaymentPage,
  PaymentRecorded,
  RecordPayment,
} from '../revenue/schema.ts'
import { billedSiteProcedure, router } from './procedures.ts'

export const paymentsRouter = router({
  list: billedSiteProcedure
    .input(ListPayments)
    .output(PaymentPage)
    .query(({ ctx, input }) => listPayments(ctx, ctx.site, input)),
  record: billedSiteProcedure
    .input(RecordPayment)
    .output(PaymentRecorded)
    .mutation(({ ctx, input }) => createPayment(ctx, ctx.site, input)),
  delete: billedSiteProcedure
    .input(DeletePayment)
    .output(PaymentDeleted)
    .mutation(({ ctx, input }) => removePayment(ctx, ctx.site, input)),
})
