import { z } from 'zod'
import { connectProcessor, disconnectProcessor, getConnection } from '../revenue/processor/connection.ts'
import { ConnectProcessor, ProcessorConnection } from '../revenue/schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

/** Procedures for the connection of a site to its payment processor. */
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
    })
    .input(ConnectProcessor)
    .output(ProcessorConnection)
    .mutation(({ ctx, input }) => connectProcessor(ctx, ctx.site, input)),
  disconnect: managedSiteProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/processor',
      summary: 'Disconnect the payment processor',
      not_found: 'No such site, or no payment processor is connected to it',
    })
    .output(z.void())
    .mutation(({ ctx }) => disconnectProcessor(ctx, ctx.site)),
})
