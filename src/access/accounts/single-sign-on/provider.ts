import * as client from 'openid-client'
import type { Config } from '../../../platform/config/config.ts'
import { AppError } from '../../../platform/errors.ts'
import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { mend } from '../../../platform/schema/validation.ts'
import { SsoRefusal } from './refusal.ts'

export type OidcSettings = NonNullable<Config['oidc']>

/** How long what the provider says about itself is used, such as the addresses of its endpoints. */
const METADATA_MS = 60 * MINUTE_MS
/** Longest wait for one answer of the provider. */
const TIMEOUT_SECONDS = 5
/** Clocks of two machines differ. */
const CLOCK_TOLERANCE_SECONDS = 30

const known = new WeakMap<OidcSettings, { until: number; found: Promise<client.Configuration> }>()

/** Returns the provider with its metadata, which is kept for an hour. @throws AppError `unavailable` */
async function findProvider(oidc: OidcSettings, now: Date): Promise<client.Configuration> {
  const kept = known.get(oidc)
  if (kept && now.getTime() < kept.until) return kept.found
  const found = discover(oidc)
  known.set(oidc, { until: now.getTime() + METADATA_MS, found })
  // A failure is not kept: the next sign-in asks again.
  found.catch(() => forget(oidc, found))
  return found
}

function forget(oidc: OidcSettings, found: Promise<client.Configuration>): void {
  if (known.get(oidc)?.found === found) known.delete(oidc)
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<client.Configuration> {
  const isInsecure = issuer.startsWith('http:')
  try {
    return await client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      clientSecret === undefined ? client.None() : withSecret(clientSecret),
      {
        timeout: TIMEOUT_SECONDS,
        // Checks the signature of the ID token, also when it comes from the provider itself.
        execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
      },
    )
  } catch (error) {
    throw new AppError('unavailable', 'The provider of single sign-on cannot be reached; try again shortly', {
      cause: new Error(`single sign-on: discovery failed: ${detailOf(error)}`),
    })
  }
}

/** Sends the secret in the header, as providers must accept unless they list their ways without it. */
function withSecret(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (ways.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/** What has to come back, or is proved, when the provider answers. */
export interface Expected {
  state: string
  nonce: string
  verifier: string
}

/**
 * Returns a new sign-in: the address at the provider, and what to expect of its answer.
 * @param options.isAgain the provider asks the person for their credentials, also when they are signed in there
 * @throws AppError `unavailable`
 */
export async function newSignIn(
  oidc: OidcSettings,
  redirectUri: string,
  { isAgain }: { isAgain: boolean },
  now: Date,
): Promise<{ url: string; expected: Expected }> {
  const provider = await findProvider(oidc, now)
  const expected = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  }
  const url = client.buildAuthorizationUrl(provider, {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state: expected.state,
    nonce: expected.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(expected.verifier),
    code_challenge_method: 'S256',
    ...(isAgain && { max_age: '0' }),
  })
  return { url: url.href, expected }
}

/** A person as the provider has proved them. */
export interface ProvenPerson {
  issuer: string
  subject: string
  /** Lower case; null unless the provider has verified it. */
  verifiedEmail: string | null
  /** Whether the provider gives an address that it has not verified. */
  hasUnverifiedEmail: boolean
  name: string | null
}

/**
 * Exchanges the code in the answer of the provider for its ID token. The library checks state, nonce, issuer, audience, expiry and
 * signature.
 * @param answer URL of the callback with its query
 * @throws SsoRefusal `refused`, `invalid` or `unavailable`
 */
export async function proveIdentity(
  oidc: OidcSettings,
  answer: URL,
  { state, nonce, verifier }: Expected,
  now: Date,
): Promise<ProvenPerson> {
  const provider = await findProvider(oidc, now).catch(error => {
    throw new SsoRefusal('unavailable', { detail: error.cause?.message })
  })
  try {
    const tokens = await client.authorizationCodeGrant(provider, answer, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    const isComplete = claims.email !== undefined || !provider.serverMetadata().userinfo_endpoint
    const profile = isComplete
      ? claims
      : await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
    return personOf(claims.iss, claims.sub, profile)
  } catch (error) {
    const kept = known.get(oidc)
    if (kept && isOutdated(error)) forget(oidc, kept.found)
    throw refusalOf(error)
  }
}

const MAX_EMAIL = 320
const MAX_NAME = 200

function personOf(issuer: string, subject: string, claims: Record<string, unknown>): ProvenPerson {
  const { name } = claims
  const email = typeof claims.email === 'string' ? mend(claims.email) : undefined
  const isAddress = email !== undefined && email.length <= MAX_EMAIL && /^[^\s@]+@[^\s@]+$/.test(email)
  // Some providers send it as a text.
  const isVerified = isAddress && (claims.email_verified === true || claims.email_verified === 'true')
  return {
    issuer,
    subject,
    verifiedEmail: isVerified ? email.toLowerCase() : null,
    hasUnverifiedEmail: isAddress && !isVerified,
    name: typeof name === 'string' && name !== '' ? mend(name.slice(0, MAX_NAME)) || null : null,
  }
}

function refusalOf(error: unknown): SsoRefusal {
  const detail = detailOf(error)
  if (error instanceof client.AuthorizationResponseError) return new SsoRefusal('refused', { detail })
  return new SsoRefusal(isAway(error) ? 'unavailable' : 'invalid', { detail })
}

const isAway = (error: unknown): boolean =>
  error instanceof TypeError || detailOf(error) === 'OAUTH_TIMEOUT' || statusOf(error) >= 500

/** Returns whether the keys or the endpoints of the provider may have changed. */
const isOutdated = (error: unknown): boolean =>
  isAway(error) || statusOf(error) === 404 || detailOf(error) === 'OAUTH_KEY_SELECTION_FAILED'

/** Status of an answer of the provider that could not be used; 0 for another error. */
function statusOf(error: unknown): number {
  const { cause } = error as { cause?: { status?: unknown } }
  return typeof cause?.status === 'number' ? cause.status : 0
}

/** Returns what may be logged of an error: its code. Its message may hold what the provider sent. */
function detailOf(error: unknown): string {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    return error.error.replace(/[^a-z_]/g, '').slice(0, 50)
  }
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  return String(code ?? cause?.code ?? (error instanceof Error ? error.name : 'unknown'))
}
