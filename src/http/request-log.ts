import type { RequestHandler } from 'express'
import type { Log } from '../infra/log.ts'
import { givenRequestId } from './context-of.ts'

/** One line a request. The pattern of the route, not the path: paths hold domains and ids. */
export function requestLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      log.info(
        {
          requestId: givenRequestId(res),
          method: req.method,
          route: (req.route as { path: string } | undefined)?.path ?? 'none',
          status: res.statusCode,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          ...(!res.writableFinished && { aborted: true }),
        },
        'request',
      )
    })
    next()
  }
}
