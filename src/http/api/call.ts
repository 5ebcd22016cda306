import { callTRPCProcedure } from '@trpc/server'
import type { Context } from '../../trpc/context.ts'
import { fromProcedure } from '../../trpc/procedure-errors.ts'
import { appRouter } from '../../trpc/root.ts'
import type { Route } from './routes.ts'

/**
 * Calls the procedure of a route.
 * @param getRawInput reads the input; the first check that needs it calls it
 * @throws AppError as the procedure does
 */
export const callProcedure = (
  { procedure, type }: Pick<Route, 'procedure' | 'type'>,
  ctx: Context,
  getRawInput: () => Promise<unknown>,
): Promise<unknown> =>
  callTRPCProcedure({
    router: appRouter,
    path: procedure,
    type,
    ctx,
    getRawInput,
    signal: undefined,
    batchIndex: 0,
  }).catch((error: unknown) => {
    throw fromProcedure(error)
  })
