import type { Request, Response } from 'express'
import type { Context, Services } from '../trpc/context.ts'

/** The id `app.ts` gave the request that this is the answer to. */
export function givenRequestId(res: Response): string {
  return res.locals.requestId as string
}

export function contextOf(services: Services, req: Request, res: Response): Context {
  return {
    ...services,
    requestId: givenRequestId(res),
    authorization: req.headers.authorization,
    setHeader: (name, value) => res.setHeader(name, value),
  }
}
