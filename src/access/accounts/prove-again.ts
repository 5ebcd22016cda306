import type { Transaction } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { type Attempt, countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import type { ProofState, ProveAgain } from './account-schema.ts'
import type { PersonRequest } from './change-login.ts'
import { findLogin } from './logins.ts'
import { CHALLENGE_MS, newChallenge } from './passkeys/challenges.ts'
import type { ProofOptions } from './passkeys/passkey-schema.ts'
import { listPasskeys, namesOfPasskeys } from './passkeys/passkeys.ts'
import { passkeyObstacle, relyingParty } from './passkeys/relying-party.ts'
import { type Reason, verifyPasskey } from './passkeys/verify.ts'
import { verifyPassword } from './passwords.ts'
import { markProven } from './sessions.ts'
import { isSecondFactorRight, NEEDS_CODE, requirePasswords } from './sign-in.ts'

/** How long signing in, or another proof, counts for what lets others in. */
export const PROOF_MS = 12 * HOUR_MS

/** What `requireFreshProof` says when it refuses; for the description of endpoints. */
export const PROOF_TOO_OLD =
  'You signed in, or proved who you are, more than 12 hours ago: do so with `POST /api/account/proof`, then send this again'

/**
 * Makes sure that the person of a browser session has given their credentials in the last 12 hours. A token is no person.
 * @throws AppError `proof_required`
 */
export function requireFreshProof(
  { now }: Pick<Services, 'now'>,
  person: { authenticatedAt: Date } | null,
): void {
  if (!person || now().getTime() - person.authenticatedAt.getTime() <= PROOF_MS) return
  throw new AppError('proof_required', PROOF_TOO_OLD)
}

type Request = Pick<Services, 'db' | 'redis' | 'config' | 'now'> & Omit<PersonRequest, 'setSessionCookie'>

/** Returns how the person of a session can prove who they are without leaving it, and until when the last proof counts. */
export async function proofState({ db, config, person }: Request): Promise<ProofState> {
  const { loginId } = person
  const [[login], passkeys] = await Promise.all([
    findLogin(db, { id: loginId }),
    listPasskeys(db, { loginId }),
  ])
  const password = config.hasPasswords && login!.passwordHash !== null
  return {
    counts_until: new Date(person.authenticatedAt.getTime() + PROOF_MS).toISOString(),
    password,
    second_factor: password && login!.totpSecret !== null,
    passkey: passkeys.length > 0 && passkeyObstacle(config) === undefined,
  }
}

/** Returns what a page passes to `navigator.credentials.get`. @throws AppError `forbidden` where passkeys are not offered */
export async function offerProof({ db, redis, config, person }: Request): Promise<ProofOptions> {
  const { id: rpId } = relyingParty(config)
  const { loginId, sessionId } = person
  const allowCredentials = namesOfPasskeys(await listPasskeys(db, { loginId }))
  const challenge = await newChallenge(redis, { sessionId, is: 'proof' })
  return {
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials,
  }
}

/**
 * Takes a proof of who the person of a session is, as signing in does: their password, with a code where the login has a second factor, or a
 * passkey. Wrong ones count with those of `requireProof`.
 * @returns until when it counts
 * @throws AppError `forbidden` for a wrong one; `validation_failed` when only the code is missing; `rate_limited`
 */
export async function proveAgain(request: Request, given: ProveAgain): Promise<ProofState> {
  const { db, now, person, auditNetwork: network } = request
  const { loginId, email: name, sessionId } = person
  const method = given.credential ? 'passkey' : 'password'
  const attempt = await countAttempt(request, 'proof', { login: loginId })
  const authenticatedAt = now()
  const check = given.credential
    ? await checkPasskey(request, given.credential)
    : await checkPassword(request, given, attempt)
  const isProven = await db.begin(async tx => {
    if (!(await check(tx))) return false
    const [session] = await markProven(tx, { id: sessionId, now: authenticatedAt })
    if (!session) throw new AppError('unauthenticated', 'The session has ended: sign in again')
    const entry = { action: 'login.prove', loginId, name, network, details: { method } } as const
    await recordLoginEntry(tx, entry, authenticatedAt)
    return true
  })
  if (!isProven) throw await refuse(request, { method, reason: 'code' })
  await attempt.giveBack()
  return proofState({ ...request, person: { ...person, authenticatedAt } })
}

/** What is still to be checked in the transaction that takes the proof. */
type Check = (tx: Transaction) => Promise<boolean>

/** Checks the password. The code is used up only together with the rest. */
async function checkPassword(
  request: Request,
  { password, code }: ProveAgain,
  attempt: Attempt,
): Promise<Check> {
  requirePasswords(request)
  const [login] = await findLogin(request.db, { id: request.person.loginId })
  const { isRight } = await verifyPassword(login?.passwordHash ?? null, password!)
  if (!login || !isRight) throw await refuse(request, { method: 'password', reason: 'password' })
  if (login.totpSecret && !code) {
    await attempt.giveBack()
    throw invalidField('code', NEEDS_CODE)
  }
  return tx => isSecondFactorRight(request, tx, login, code)
}

/** Its authenticator has verified the person, so a passkey counts as both factors. */
async function checkPasskey(
  request: Request,
  credential: NonNullable<ProveAgain['credential']>,
): Promise<Check> {
  const { loginId, sessionId } = request.person
  const refused = (reason: Reason) => refuse(request, { method: 'passkey', reason })
  const known = await verifyPasskey(request, { credential }, { sessionId, is: 'proof' }, refused)
  if (known.loginId !== loginId) throw await refused('unknown')
  return async () => true
}

const REFUSALS = {
  password: 'The password or the code is wrong',
  passkey: 'The passkey is not one of yours, was used wrongly, or the time is over; start again',
}

/** Records why a proof was refused. @returns the error for it */
async function refuse(
  { db, now, person, auditNetwork: network }: Request,
  { method, reason }: { method: keyof typeof REFUSALS; reason: string },
): Promise<AppError> {
  const { loginId, email: name } = person
  const details = { method: `proof with ${method}`, reason }
  await recordLoginEntry(db, { action: 'login.failure', loginId, name, network, details }, now())
  return new AppError('forbidden', REFUSALS[method])
}
