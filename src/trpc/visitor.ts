import type { Visitor } from '../accounts/sign-in.ts'
import type { Context } from './context.ts'

/** Returns the browser that a request came from. */
export const visitorOf = ({ userAgent, auditNetwork, sessionCookie, network }: Context): Visitor => ({
  browser: { userAgent, network: auditNetwork, sessionCookie },
  network,
})
