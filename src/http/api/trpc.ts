import { createExpressMiddleware } from '@trpc/server/adapters/express'
import type { Request, RequestHandler } from 'express'
import { AppError } from '../../platform/errors.ts'
import { checkDepth } from '../../platform/lib/json.ts'
import { refuseUnknownFields } from '../../platform/schema/known-fields.ts'
import type { Services } from '../../platform/services.ts'
import { runningRequest } from '../../trpc/context.ts'
import { errorShape, fromProcedure } from '../../trpc/procedure-errors.ts'
import { appRouter } from '../../trpc/root.ts'
import { readText } from '../body.ts'
import { errorAnswer, errorHeaders, logFailure } from '../error-answer.ts'
import { givenRequestId } from '../request-id.ts'
import { contextOf } from './context.ts'
import { routes } from './routes.ts'

export const MAX_BATCH = 50

/** Serves the router to tRPC clients, with the service's limits on the body and its error shape. */
export function trpcEndpoint(services: Services): RequestHandler {
  const serve = createExpressMiddleware({
    router: appRouter,
    maxBatchSize: MAX_BATCH,
    // Queries as POST, too: filters may be longer than a URL.
    allowMethodOverride: true,
    createContext: ({ req, res }) => ({ ...contextOf(services, req, res), refuseUnknown }),
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
    if (wantsStream(req)) {
      const { status, headers } = errorAnswer(NO_STREAMS, requestId)
      res
        .status(status)
        .set(headers)
        .json({ error: errorShape(NO_STREAMS, requestId) })
      return
    }
    const inputProblem = await readInput(req)
    runningRequest.run({ requestId, inputProblem }, () => serve(req, res, () => {}))
  }
}

const inputsOf = new Map(routes.map(({ procedure, inputs }) => [procedure, inputs]))

const refuseUnknown = (procedure: string, input: unknown): void =>
  refuseUnknownFields(inputsOf.get(procedure)!, input)

/** Same rule as in tRPC. A stream sends its headers before the first call is charged: they could not show status and limits. */
function wantsStream({ headers }: Request): boolean {
  const accepted = headers['trpc-accept'] ?? headers.accept?.split(',').map(type => type.trim()) ?? []
  return accepted.includes('application/jsonl')
}

const NO_STREAMS = new AppError(
  'bad_request',
  'Batches are answered as one JSON document, not as application/jsonl: use httpBatchLink, not httpBatchStreamLink',
)

/** Invalid JSON: tRPC refuses it when it reads the input, and `inputProblem` says why. */
const UNREADABLE = '!'

/**
 * Reads the input in place of tRPC, which would neither unpack nor limit the body.
 * @returns why the input cannot be read; tRPC then receives an input that it refuses
 */
async function readInput(req: Request): Promise<AppError | undefined> {
  try {
    if (req.method === 'POST') {
      const body = await readText(req)
      checkDepth(body)
      req.body = body
    } else {
      checkDepth(queryOf(req).get('input') ?? '', 'input')
    }
    return undefined
  } catch (error) {
    if (req.method === 'POST') req.body = UNREADABLE
    else {
      const query = queryOf(req)
      query.set('input', UNREADABLE)
      req.url = `${req.url.split('?', 1)[0]}?${query}`
    }
    return fromProcedure(error)
  }
}

const queryOf = ({ url }: Request) =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '')
