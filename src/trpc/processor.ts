import { z } from 'zod'
import { requireNoEnd } from '../access/teams/token-rules.ts'
import { beginImport, getImport, RevenueImport, StartImport } from '../money/import/present-import.ts'
import { ConnectProcessor, ProcessorConnection } from '../money/money-schema.ts'
import { connectProcessor, disconnectProcessor, getConnection } from '../money/processor/connection.ts'
import { createLifecycleGoals } from '../stats/goals/change-goal.ts'
import { managedSiteProcedure, router } from './procedures.ts'

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
