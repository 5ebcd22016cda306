import { auditLogin } from '../accounts/audit-login.ts'
import { type Browser, completeLogin } from '../accounts/complete-login.ts'
import { renewSession } from '../accounts/sessions.ts'
import { type Flow, redirectUri, settingsOf, takeFlow } from '../accounts/single-sign-on/flow.ts'
import { linkIdentity } from '../accounts/single-sign-on/link.ts'
import { type ProvenPerson, proveIdentity } from '../accounts/single-sign-on/provider.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { auditOf } from '../audit/audit.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import { identify } from './authentication.ts'
import type { Credentials, Person } from './credentials.ts'
import { loginOfPerson } from './single-sign-on.ts'

type Request = Pick<Services, 'db' | 'redis' | 'config' | 'invalidTokens' | 'now'> & Credentials & Browser

/**
 * Ends a sign-in that was started in this browser, with the answer of the provider.
 * @param answer.cookie secret that the browser got at the start
 * @param answer.query of the URL to which the provider sent the browser back, with its `?`
 * @returns path of this service to go on to
 * @throws SsoRefusal
 */
export async function finishSignIn(
  request: Request,
  answer: { cookie: string | undefined; query: string },
): Promise<string> {
  const { config, now } = request
  const oidc = settingsOf(config)
  const flow = await takeFlow(request, answer.cookie)
  if (!flow) throw new SsoRefusal('expired')
  const url = new URL(redirectUri(config.baseUrl) + answer.query)
  const person = await proveIdentity(oidc, url, flow.expected, now())
  if (flow.linking) await linkSession(request, flow.linking, person)
  else await signIn(request, flow.link, person)
  return flow.returnTo
}

async function signIn(request: Request, link: string | undefined, person: ProvenPerson): Promise<void> {
  const network = request.auditNetwork
  const loginId = await loginOfPerson(request, person, { link, network })
  await completeLogin(request, loginId, request, 'single_sign_on')
}

/** Links the login of the session that has started this, if the browser is still signed in with it. */
async function linkSession(
  request: Request,
  linking: NonNullable<Flow['linking']>,
  identity: ProvenPerson,
): Promise<void> {
  const { db, now, auditNetwork: network, setSessionCookie } = request
  const person = await personOf(request)
  if (person?.sessionId !== linking.sessionId || person.loginId !== linking.loginId) {
    throw new SsoRefusal('session_ended')
  }
  const { loginId, sessionId, email } = person
  const audit = auditOf({ ...NO_TEAM, loginId, name: email, network }, now)
  const secret = await db.begin(async tx => {
    await linkIdentity(tx, audit, loginId, identity, now())
    return renewSession(tx, sessionId, now(), { isProven: true })
  })
  if (secret !== undefined) setSessionCookie(secret)
}

const NO_TEAM = { teamId: null, userId: null, tokenId: null }

async function personOf(request: Request): Promise<Person | null> {
  try {
    return (await identify(request)).person
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return null
    throw error
  }
}

/** Records that a sign-in was refused, in the log of each team of the login where that is known. */
export async function recordRefusal(
  { db, now, auditNetwork: network }: Pick<Request, 'db' | 'now' | 'auditNetwork'>,
  { code, login }: SsoRefusal,
): Promise<void> {
  const audit = auditOf({ ...NO_TEAM, loginId: login?.id ?? null, name: login?.email ?? '', network }, now)
  const entry = { action: 'login.failure', details: { method: 'single_sign_on', reason: code } } as const
  if (login) await auditLogin(db, audit, login.id, entry)
  else await audit(db, entry)
}
