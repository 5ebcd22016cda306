import { rememberBrowser } from '../accounts/known-browser.ts'
import type { Visitor } from '../accounts/sign-in.ts'
import { type Account, getAccount } from '../teams/account.ts'
import type { Context } from './context.ts'

/** Returns the browser that a request came from. */
export const visitorOf = (ctx: Context): Visitor => ({
  browser: { userAgent: ctx.userAgent, network: ctx.auditNetwork, sessionCookie: ctx.sessionCookie },
  network: ctx.network,
  knownBrowser: ctx.knownBrowserCookie,
})

/** Answers a browser that has signed in: sets the cookie of the session, and that of a known browser. */
export async function welcome(
  ctx: Context,
  { loginId, secret }: { loginId: string; secret: string },
): Promise<Account> {
  ctx.setSessionCookie(secret)
  const account = await getAccount(ctx, loginId)
  ctx.setKnownBrowserCookie(rememberBrowser(ctx, ctx.knownBrowserCookie, account.email))
  return account
}
