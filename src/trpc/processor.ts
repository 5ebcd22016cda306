import { z } from 'zod'
import { connectProcessor, disconnectProcessor, getConnection } from '../revenue/connection.ts'
import { ConnectProcessor, ProcessorConnection } from '../revenue/schema.ts'
import { managedSiteProcedure, router } from './procedures.ts'

/** Procedures for the connection of a site to its payment processor. */
export const processorRouter = router({
  get: managedSiteProcedure.output(ProcessorConnection).query(({ ctx }) => getConnection(ctx, ctx.site)),
  connect: managedSiteProcedure
    .input(ConnectProcessor)
    .output(ProcessorConnection)
    .mutation(({ ctx, input }) => connectProcessor(ctx, ctx.site, input)),
  disconnect: managedSiteProcedure.output(z.void()).mutation(({ ctx }) => disconnectProcessor(ctx, ctx.site)),
})
