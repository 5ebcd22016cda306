import { AppError, invalidField } from '../../platform/errors.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import type { AddTotp, ChangePassword } from './account-schema.ts'
import { changeLogin, type PersonRequest } from './change-login.ts'
import { findLogin } from './logins.ts'
import { hashPassword, refuseCommonPassword } from './passwords.ts'
import { requireProof } from './proof.ts'
import { removeRecoveryCodes, renewRecoveryCodes } from './recovery-codes.ts'
import { changePasswordHash } from './reset.ts'
import { endSessions } from './sessions.ts'
import { requirePasswords } from './sign-in.ts'
import { newTotpSecret, sealTotpSecret, setTotp, totpStepOf, totpUri } from './totp.ts'

type Request = Pick<Services, 'db' | 'redis' | 'config' | 'now'> & PersonRequest

/** Replaces the password, or adds one. All other sessions of the login end. */
export async function changePassword(request: Request, input: ChangePassword): Promise<void> {
  requirePasswords(request)
  const { loginId, email, sessionId } = request.person
  await requireProof(request, request.person, input.current_password)
  await refuseCommonPassword(input.password, email)
  const passwordHash = await hashPassword(input.password)
  const done = { action: 'password.change', notice: { kind: 'password' } } as const
  await changeLogin(request, request, done, async tx => {
    await changePasswordHash(tx, loginId, passwordHash)
    await endSessions(tx, { loginId, id: null, exceptId: sessionId })
  })
}

/** Returns a secret for an authenticator app. It is not stored: `addTotp` gets it back with the first code of the app. */
export function proposeTotp({ config, person }: Request): { secret: string; uri: string } {
  requirePasswords({ config })
  const secret = newTotpSecret()
  return { secret, uri: totpUri(secret, person.email, new URL(config.baseUrl).host) }
}

/**
 * Makes the codes of an authenticator app the second factor, in place of one that was set before.
 * @returns new recovery codes, shown for the only time
 * @throws AppError `validation_failed` for a wrong code
 */
export async function addTotp(request: Request, input: AddTotp): Promise<{ recovery_codes: string[] }> {
  requirePasswords(request)
  const { config, now, person } = request
  const { loginId } = person
  await requireProof(request, person, input.password)
  const attempt = await countAttempt(request, 'totp', { login: loginId })
  const step = totpStepOf(input.secret, input.code, now())
  if (step === undefined) {
    throw invalidField('code', 'code is not the one that the app shows now: check the clock of the device')
  }
  const sealed = sealTotpSecret(config.secretKey, loginId, input.secret)
  const done = { action: 'totp.add', notice: { kind: 'factor' } } as const
  const codes = await changeLogin(request, request, done, async tx => {
    await setTotp(tx, { loginId, sealed, step })
    return renewRecoveryCodes(tx, loginId)
  })
  await attempt.giveBack()
  return { recovery_codes: codes }
}

export const NO_TOTP = 'The login has no second factor'

/** Removes the second factor with its recovery codes. */
export async function removeTotp(request: Request, password: string | undefined): Promise<void> {
  const { loginId } = request.person
  await requireProof(request, request.person, password)
  const done = { action: 'totp.remove', notice: { kind: 'no_factor' } } as const
  await changeLogin(request, request, done, async tx => {
    const [login] = await findLogin(tx, { id: loginId })
    if (!login?.totpSecret) throw new AppError('not_found', NO_TOTP)
    await setTotp(tx, { loginId, sealed: null, step: null })
    await removeRecoveryCodes(tx, loginId)
  })
}

/** Replaces all recovery codes. @returns the new ones, shown for the only time */
export async function replaceRecoveryCodes(
  request: Request,
  password: string | undefined,
): Promise<{ recovery_codes: string[] }> {
  const { loginId } = request.person
  await requireProof(request, request.person, password)
  const done = { action: 'recovery_codes.renew', notice: { kind: 'codes' } } as const
  const codes = await changeLogin(request, request, done, async tx => {
    const [login] = await findLogin(tx, { id: loginId })
    if (!login?.totpSecret) throw new AppError('not_found', NO_TOTP)
    return renewRecoveryCodes(tx, loginId)
  })
  return { recovery_codes: codes }
}
