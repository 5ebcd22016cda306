import { z } from 'zod'
import { requireNoEnd } from '../access/teams/token-rules.ts'
import { beginImport, getImport, RevenueImport, StartImport } from '../money/import/present-import.ts'
import { createPayment, listPayments, removePayment } from '../money/payments.ts'
import { connectProcessor, disconnectProcessor, getConnection } from '../money/processor/connection.ts'
import {
  ConnectProcessor,
  DeletePayment,
  ListPayments,
  PaymentDeleted,
  PaymentPage,
  PaymentRecorded,
  ProcessorConnection,
  RecordPayment,
} from '../money/schema.ts'
import { createLifecycleGoals } from '../stats/goals/change-goal.ts'
import { billedSiteProcedure, managedSiteProcedure, router } from './procedures.ts'

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

export const processorRouter = router({
  get: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/processor',
      summary: 'Read the connection to the payment processor',
      answer: 'The connection, without its secrets.',
      not_found: 'No such site, or no payment processor is connected to it',
    })
    .output(ProcessorConnection)
    .query(({ ctx }) => getConnection(ctx, ctx.site)),
  connect: managedSiteProcedure
    .meta({
      method: 'put',
      path: '/api/sites/:siteKey/processor',
      summary: 'Connect a payment processor',
      description: 'Replaces the connection there is. Secrets are encrypted and never shown again.',
      answer: 'The connection, without its secrets.',
      forbidden:
        'The token has an end, which the connection has not; or the user is no owner or admin of the team',
    })
    .use(({ ctx, next }) => {
      requireNoEnd(ctx.caller, 'The connection of a payment processor')
      return next()
    })
    .input(ConnectProcessor)
    .output(ProcessorConnection)
    .mutation(({ ctx, input }) => connectProcessor(ctx, ctx.site, input, createLifecycleGoals)),
  disconnect: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/processor',
      summary: 'Disconnect the payment processor',
      not_found: 'No such site, or no payment processor is connected to it',
    })
    .output(z.void())
    .mutation(({ ctx }) => disconnectProcessor(ctx, ctx.site)),
  import: managedSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/processor/import',
      ok: 202,
      summary: 'Import the past of the payment processor',
      description:
        'Reads customers, subscriptions, invoices and charges of the connected account in the background. Nothing is counted twice, also if it runs again. While one runs, no second one starts.',
      answer: 'The import that was started, or the one that runs.',
      not_found: 'No such site, or no payment processor is connected to it',
      bad_request: 'The connection has no API key',
    })
    .input(StartImport)
    .output(RevenueImport)
    .mutation(({ ctx, input }) => beginImport(ctx, ctx.site, input)),
  importState: managedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/processor/import',
      summary: 'Read how far the import of the past has come',
      answer: 'The latest import of the site.',
      not_found: 'No such site, or no import was started',
    })
    .output(RevenueImport)
    .query(({ ctx }) => getImport(ctx, ctx.site)),
})
