import type { RequestHandler, Response } from 'express'
import { startFlow } from '../access/accounts/single-sign-on/flow.ts'
import { SsoRefusal } from '../access/accounts/single-sign-on/refusal.ts'
import { finishSignIn, recordRefusal } from '../access/teams/finish-single-sign-on.ts'
import type { Services } from '../platform/services.ts'
import { chargeCall, networkBucket } from '../trpc/charge.ts'
import { readFlowCookie } from './api/browser.ts'
import { contextOf } from './api/context.ts'

/** Sends the browser to the provider, for a plain link: `GET /api/auth/oidc/start?return_to=/`; with `again=true` the provider asks the person again. */
export function startSignIn(services: Services): RequestHandler {
  return async (req, res) => {
    const ctx = contextOf(services, req, res)
    await chargeCall(ctx, [networkBucket('open', ctx)])
    const query = new URLSearchParams(queryOf(req.url))
    const returnTo = query.get('return_to') ?? undefined
    const { url, cookie } = await startFlow(ctx, { returnTo, isAgain: query.get('again') === 'true' })
    ctx.setFlowCookie(cookie)
    redirect(res, url)
  }
}

/** Takes the answer of the provider. A failure leads to the page for signing in, which is told a code and nothing else. */
export function endSignIn(services: Services): RequestHandler {
  const { baseUrl } = services.config
  return async (req, res) => {
    const ctx = contextOf(services, req, res)
    await chargeCall(ctx, [networkBucket('open', ctx)])
    ctx.setFlowCookie(null)
    const answer = { cookie: readFlowCookie(req, baseUrl), query: queryOf(req.url) }
    try {
      redirect(res, baseUrl + (await finishSignIn(ctx, answer)))
    } catch (error) {
      if (!(error instanceof SsoRefusal)) throw error
      const { code, detail } = error
      services.log.warn({ requestId: ctx.requestId, reason: code, detail }, 'single sign-on failed')
      // Anybody can cause these two, as often as they like: they say nothing about an attempt.
      if (code !== 'expired' && code !== 'unavailable') await recordRefusal(ctx, error)
      redirect(res, `${baseUrl}/login#error=${code}`)
    }
  }
}

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

function redirect(res: Response, url: string): void {
  res.status(302).setHeader('Location', url).end()
}
