import type { RequestHandler } from 'express'
import type { Services } from '../infra/services.ts'
import { givenRequestId } from './context-of.ts'

/** Logs one line per request, with the pattern of the route instead of the path: paths contain domains and ids. */
export function requestLog({ log, metrics }: Pick<Services, 'log' | 'metrics'>): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const ms = performance.now() - startedAt
      const request = {
        method: req.method,
        route: (req.route as { path: string } | undefined)?.path ?? 'none',
        status: res.statusCode,
      }
      metrics.requests.observe(request, ms / 1000)
      log.info(
        {
          requestId: givenRequestId(res),
          ...request,
          ms: Math.round(ms * 10) / 10,
          ...(!res.writableFinished && { aborted: true }),
        },
        'request',
      )
    })
    next()
  }
}
