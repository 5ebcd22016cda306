import { createPayment, removePayment } from '../revenue/payments.ts'
import { DeletePayment, PaymentDeleted, PaymentRecorded, RecordPayment } from '../revenue/schema.ts'
import { billedSiteProcedure, router } from './procedures.ts'

export const paymentsRouter = router({
  record: billedSiteProcedure
    .input(RecordPayment)
    .output(PaymentRecorded)
    .mutation(({ ctx, input }) => createPayment(ctx, ctx.site, input)),
  delete: billedSiteProcedure
    .input(DeletePayment)
    .output(PaymentDeleted)
    .mutation(({ ctx, input }) => removePayment(ctx, ctx.site, input)),
})
