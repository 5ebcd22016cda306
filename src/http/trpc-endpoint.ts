import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { RequestHandler } from 'express'
import type { Services } from '../infra/services.ts'
import { currentRequestId } from '../trpc/context.ts'
import { errorShape, fromProcedure } from '../trpc/errors.ts'
import { appRouter } from '../trpc/root.ts'
import { readText } from './body.ts'
import { contextOf, givenRequestId } from './context-of.ts'
import { errorAnswer, errorHeaders, logFailure } from './error-answer.ts'

/** Calls in one batch. */
export const MAX_BATCH = 50

/** The router as tRPC clients speak to it, with our limits on the body and our errors. */
export function trpcEndpoint(services: Services): RequestHandler {
  const serve = createExpressMiddleware({
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    createContext: ({ req, res }) => contextOf(services, req, res),
    onError: ({ error, req }) => {
      if (req.res) logFailure(services.log, fromProcedure(error), givenRequestId(req.res))
    },
    responseMeta: ({ errors }) => ({
      headers: {
        'Content-Type': 'application/json',
        ...Object.assign({}, ...errors.map(error => errorHeaders(fromProcedure(error)))),
      },
    }),
  })
  return async (req, res) => {
    const requestId = givenRequestId(res)
    res.setHeader('Content-Type', 'application/json')
    try {
      // tRPC neither unpacks nor limits what it reads itself.
      if (req.method === 'POST') req.body = await readText(req)
    } catch (error) {
      const known = fromProcedure(error)
      logFailure(services.log, known, requestId)
      const { status, headers } = errorAnswer(known, requestId)
      res
        .status(status)
        .set(headers)
        .json({ error: errorShape(known, requestId) })
      return
    }
    currentRequestId.run(requestId, () => serve(req, res, () => {}))
  }
}
