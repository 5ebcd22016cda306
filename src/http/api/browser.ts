import { parseCookie } from 'cookie'
import type { Request, Response } from 'express'
import { SESSION_MS } from '../../access/accounts/sessions.ts'
import { FLOW_MS } from '../../access/accounts/single-sign-on/flow.ts'
import { DAY_MS } from '../../platform/lib/time.ts'

/** With `__Host-`, browsers accept the cookie only over https, for this host alone, so that no other host of the domain can set it. */
export const sessionCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-analytics_session' : 'analytics_session'

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** Returns the secret in the cookie of the browser session. */
export function readSessionCookie({ headers }: Request, baseUrl: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[sessionCookieName(baseUrl)]
}

/** Sets the cookie of the browser session, or removes it when `secret` is null. The last call of a request counts. */
export function writeSessionCookie(res: Response, baseUrl: string, secret: string | null): void {
  const name = sessionCookieName(baseUrl)
  const others = [res.getHeader('Set-Cookie') ?? []].flat().filter(each => !`${each}`.startsWith(`${name}=`))
  res.removeHeader('Set-Cookie')
  if (others.length > 0) res.setHeader('Set-Cookie', others as string[])
  res.cookie(name, secret ?? '', {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    path: '/',
    maxAge: secret === null ? 0 : SESSION_MS,
  })
}

const knownBrowserCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-analytics_browser' : 'analytics_browser'

const KNOWN_MS = 365 * DAY_MS

/** Returns the cookie of a browser that has signed in before. */
export function readKnownBrowserCookie({ headers }: Request, baseUrl: string): string | undefined {
  return headers.cookie === undefined
    ? undefined
    : parseCookie(headers.cookie)[knownBrowserCookieName(baseUrl)]
}

/** Sets the cookie of a browser that has signed in. Signing out leaves it. */
export function writeKnownBrowserCookie(res: Response, baseUrl: string, value: string): void {
  res.cookie(knownBrowserCookieName(baseUrl), value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    path: '/',
    maxAge: KNOWN_MS,
  })
}

/** Name and path of the cookie that ties a sign-in at the provider to the browser in which it was started. */
function flowCookie(baseUrl: string) {
  const { pathname } = new URL(baseUrl)
  return {
    name: isSecure(baseUrl) ? '__Secure-analytics_sign_in' : 'analytics_sign_in',
    path: `${pathname.replace(/\/$/, '')}/api/auth/oidc`,
  }
}

export function readFlowCookie({ headers }: Request, baseUrl: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[flowCookie(baseUrl).name]
}

/** Sets the cookie of a sign-in at the provider, or removes it when `secret` is null. */
export function writeFlowCookie(res: Response, baseUrl: string, secret: string | null): void {
  const { name, path } = flowCookie(baseUrl)
  // Lax: the browser comes back from the provider by a link.
  res.cookie(name, secret ?? '', {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    path,
    maxAge: secret === null ? 0 : FLOW_MS,
  })
}

/**
 * Returns where a request comes from, as its browser says: `own` for a page of this service, `foreign` for a page of another origin,
 * `unknown` when it does
 * not say, as programs. Browsers send `Sec-Fetch-Site` over https and to localhost, and `Origin`
 * with everything that is not GET or HEAD.
 */
export function originOf({ headers }: Request, baseUrl: string): 'own' | 'foreign' | 'unknown' {
  const site = headers['sec-fetch-site']
  // `none`: the person typed the address or opened a bookmark.
  if (site !== undefined) return site === 'same-origin' ? 'own' : site === 'none' ? 'unknown' : 'foreign'
  if (headers.origin === undefined) return 'unknown'
  return headers.origin === new URL(baseUrl).origin ? 'own' : 'foreign'
}
