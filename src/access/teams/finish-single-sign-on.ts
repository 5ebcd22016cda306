import { AppError } from '../../platform/errors.ts'
import type { Language } from '../../platform/mail/languages.ts'
import type { Services } from '../../platform/services.ts'
import { beginSession } from '../accounts/begin-session.ts'
import { changeLogin } from '../accounts/change-login.ts'
import { rememberBrowser } from '../accounts/known-browser.ts'
import { type Flow, redirectUri, settingsOf, takeFlow } from '../accounts/single-sign-on/flow.ts'
import { linkIdentity } from '../accounts/single-sign-on/link.ts'
import { type OidcSettings, type ProvenPerson, proveIdentity } from '../accounts/single-sign-on/provider.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { identify } from './authentication.ts'
import type { Credentials, Person } from './credentials.ts'
import { loginOfPerson } from './single-sign-on.ts'

/** A request with the cookies of a browser. */
type Request = Pick<Services, 'db' | 'redis' | 'config' | 'invalidTokens' | 'knownTokens' | 'now'> &
  Credentials & {
    userAgent: string
    auditNetwork: string
    language: Language | null
    knownBrowserCookie: string | undefined
    setKnownBrowserCookie: (value: string) => void
  }

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
  else await signIn(request, oidc, flow.link, person)
  return flow.returnTo
}

async function signIn(
  request: Request,
  oidc: OidcSettings,
  link: string | undefined,
  person: ProvenPerson,
): Promise<void> {
  const { db, config, now, userAgent, auditNetwork: network, sessionCookie, language } = request
  const { knownBrowserCookie: knownBrowser } = request
  const browser = { userAgent, network, sessionCookie, knownBrowser, language }
  const { secret, email } = await db
    .begin(async tx => {
      const login = await loginOfPerson(tx, person, { link, origin: browser, config, oidc }, now())
      const secret = await beginSession(tx, request, login, browser, 'single_sign_on')
      return { secret, email: login.email }
    })
    .catch(error => {
      throw isUnauthenticated(error) ? new SsoRefusal('disabled') : error
    })
  request.setSessionCookie(secret)
  request.setKnownBrowserCookie(rememberBrowser(request, knownBrowser, email))
}

/** Links the login of the session that has started this, if the browser is still signed in with it. */
async function linkSession(
  request: Request,
  linking: NonNullable<Flow['linking']>,
  identity: ProvenPerson,
): Promise<void> {
  try {
    const { person } = await identify(request, false)
    if (!isSame(person, linking)) throw new SsoRefusal('session_ended')
    const details = { issuer: identity.issuer }
    const notice = { kind: 'sign_on', provider: identity.issuer } as const
    const change = { action: 'single_sign_on.link', details, notice } as const
    await changeLogin(request, { ...request, person }, change, tx =>
      linkIdentity(tx, person.loginId, identity, request.now()),
    )
  } catch (error) {
    throw isUnauthenticated(error) ? new SsoRefusal('session_ended') : error
  }
}

const isSame = (person: Person | null, linking: NonNullable<Flow['linking']>): person is Person =>
  person?.sessionId === linking.sessionId && person.loginId === linking.loginId

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'unauthenticated'

/** Records that a sign-in was refused, in the log of each team of the login where that is known. */
export async function recordRefusal(
  { db, now, auditNetwork: network }: Pick<Request, 'db' | 'now' | 'auditNetwork'>,
  { code, login }: SsoRefusal,
): Promise<void> {
  const { id: loginId = null, email: name = 'unknown person' } = login ?? {}
  const details = { method: 'single_sign_on', reason: code }
  await recordLoginEntry(db, { action: 'login.failure', loginId, name, network, details }, now())
}
