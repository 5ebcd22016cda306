import type { Request, Response } from 'express'
import type { PageUrl } from '../infra/pagination.ts'
import { type Rate, rateHeaders } from '../infra/rate-limit.ts'
import { networkOf } from '../ingestion/edge/limit-keys.ts'
import type { Context, Services } from '../trpc/context.ts'
import { clientAddress } from './client-address.ts'

/** Returns the id that `app.ts` gave to the request of this response. */
export function givenRequestId(res: Response): string {
  return res.locals.requestId as string
}

/** Returns whether the procedure reported that the resource existed already, so that nothing was created. */
export const isExisting = (res: Response): boolean => res.locals.isExisting === true

/** @param pageUrl returns the URL of another page of a REST answer */
export function contextOf(
  services: Services,
  req: Request,
  res: Response,
  pageUrl: PageUrl = () => null,
): Context {
  let least: Rate | undefined
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  return {
    ...services,
    requestId: givenRequestId(res),
    authorization: req.headers.authorization,
    network: networkOf(clientAddress(req, services.config.trustProxy)),
    pageUrl,
    signal: gone.signal,
    showRate(rate) {
      if (least && least.remaining < rate.remaining) return
      least = rate
      for (const [name, value] of Object.entries(rateHeaders(rate))) res.setHeader(name, value)
    },
    sayExisting() {
      res.locals.isExisting = true
    },
  }
}
