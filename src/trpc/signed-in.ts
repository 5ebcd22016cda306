import { rememberBrowser } from '../access/accounts/known-browser.ts'
import type { Visitor } from '../access/accounts/sign-in.ts'
import { type Account, getAccount } from '../access/teams/account.ts'
import { identify } from '../access/teams/authentication.ts'
import type { Person } from '../access/teams/credentials.ts'
import { AppError } from '../platform/errors.ts'
import type { Context } from './context.ts'

/** Returns the browser that a request came from. */
export const visitorOf = (ctx: Context): Visitor => ({
  browser: {
    userAgent: ctx.userAgent,
    network: ctx.auditNetwork,
    sessionCookie: ctx.sessionCookie,
    knownBrowser: ctx.knownBrowserCookie,
    language: ctx.language,
  },
  network: ctx.network,
})

/** Returns the signed-in person of a request; null for a request without a session, or whose session has ended. */
export async function signedInPerson(ctx: Context): Promise<Person | null> {
  if (ctx.authorization !== undefined || ctx.sessionCookie === undefined) return null
  try {
    return (await identify({ ...ctx, team: undefined }, false)).person
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return null
    throw error
  }
}

/** Answers a browser that has signed in: sets the cookie of the session, and that of a known browser. */
export async function welcome(
  ctx: Context,
  { loginId, secret }: { loginId: string; secret: string },
): Promise<Account> {
  ctx.setSessionCookie(secret)
  const account = await getAccount(ctx, loginId)
  rememberPerson(ctx, account)
  return account
}

/** Makes the browser a known one of a person, by their address. */
export function rememberPerson(ctx: Context, { email }: Pick<Account, 'email'>): void {
  ctx.setKnownBrowserCookie(rememberBrowser(ctx, ctx.knownBrowserCookie, email))
}
