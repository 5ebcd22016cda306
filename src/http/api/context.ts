import type { Request, Response } from 'express'
import { type RateLimitDecision, rateHeaders } from '../../platform/limits/rate-limit.ts'
import { isLanguage, type Language } from '../../platform/mail/languages.ts'
import { auditNetwork, networkOf } from '../../platform/net/networks.ts'
import type { PageUrl } from '../../platform/schema/pagination.ts'
import type { Services } from '../../platform/services.ts'
import type { Context } from '../../trpc/context.ts'
import { clientAddress } from '../client-address.ts'
import { givenRequestId } from '../request-id.ts'
import {
  originOf,
  readKnownBrowserCookie,
  readSessionCookie,
  writeFlowCookie,
  writeKnownBrowserCookie,
  writeSessionCookie,
} from './browser.ts'

/** Returns whether the procedure reported that the resource existed already, so that nothing was created. */
export const isExisting = (res: Response): boolean => res.locals.isExisting === true

/** Returns the first language that a request prefers and mails have; null when it names none of them. */
function languageOf(req: Request): Language | null {
  const wanted = req.acceptsLanguages().map(tag => tag.slice(0, 2).toLowerCase())
  return wanted.find(tag => isLanguage(tag)) ?? null
}

/** @param pageUrl returns the URL of another page of a REST answer */
export function contextOf(
  services: Services,
  req: Request,
  res: Response,
  pageUrl: PageUrl = () => null,
): Context {
  let least: RateLimitDecision | undefined
  let latest: Date | undefined
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  const { baseUrl, trustProxy } = services.config
  const address = clientAddress(req, trustProxy)
  const origin = originOf(req, baseUrl)
  return {
    ...services,
    requestId: givenRequestId(res),
    authorization: req.headers.authorization,
    sessionCookie: readSessionCookie(req, baseUrl),
    setSessionCookie: secret => writeSessionCookie(res, baseUrl, secret),
    knownBrowserCookie: readKnownBrowserCookie(req, baseUrl),
    setKnownBrowserCookie: value => writeKnownBrowserCookie(res, baseUrl, value),
    setFlowCookie: secret => writeFlowCookie(res, baseUrl, secret),
    mayUseCookie: req.method === 'GET' || req.method === 'HEAD' || origin === 'own',
    isForeignPage: origin === 'foreign',
    team: req.get('x-team'),
    userAgent: req.get('user-agent') ?? '',
    language: languageOf(req),
    network: networkOf(address),
    auditNetwork: auditNetwork(address),
    pageUrl,
    signal: gone.signal,
    showRate(rate) {
      if (least && least.remaining < rate.remaining) return
      least = rate
      for (const [name, value] of Object.entries(rateHeaders(rate))) res.setHeader(name, value)
    },
    showDetailsFrom(detailsFrom) {
      if (latest && latest > detailsFrom) return
      latest = detailsFrom
      res.setHeader('X-Details-From', detailsFrom.toISOString())
    },
    sayExisting() {
      res.locals.isExisting = true
    },
  }
}
