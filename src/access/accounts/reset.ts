import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import { letter } from '../../platform/mail/letter.ts'
import type { Services } from '../../platform/services.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { createLink, deleteLinks, findLink, takeLink } from './links.ts'
import { findLogin, findLoginByEmail } from './logins.ts'
import { tellLogin } from './notices/notices.ts'
import { hashPassword, refuseCommonPassword } from './passwords.ts'
import { proveAddress } from './proven-address.ts'
import { removeRecoveryCodes } from './recovery-codes.ts'
import { endSessions } from './sessions.ts'
import { attemptsOf, requirePasswords, type SignInServices, type Visitor } from './sign-in.ts'
import { setTotp } from './totp.ts'

/** Sends one mail; rejects when it could not be given to the mail server. */
export type SendMail = (
  services: Pick<Services, 'config' | 'log'>,
  mail: { to: string; subject: string; text: string; html: string },
) => Promise<unknown>

export const NO_MAIL = 'This service sends no mail: ask its operator for a link'

/**
 * Mails a link with which a forgotten password is replaced, when a login has the address. The work begins after the limits are
 * checked and is not waited for, so that the answer is the same, and comes as soon, for any address.
 * @returns the work
 * @throws AppError `forbidden` without mail or passwords; `rate_limited`
 */
export async function requestReset(
  services: SignInServices,
  given: { email: string },
  visitor: Visitor,
  sendMail: SendMail,
): Promise<{ work: Promise<void> }> {
  requirePasswords(services)
  if (!services.config.mail) throw new AppError('forbidden', NO_MAIL)
  const email = given.email.toLowerCase()
  await countAttempt(services, 'reset-request', attemptsOf(services, email, visitor))
  const work = mailLink(services, email, visitor.browser.network, sendMail).catch((error: Error) => {
    services.log.warn({ reason: error.message }, 'the mail with a link for a new password was not sent')
  })
  return { work }
}

async function mailLink(
  services: SignInServices,
  email: string,
  network: string,
  sendMail: SendMail,
): Promise<void> {
  const { db, now, config } = services
  const [login] = await findLoginByEmail(db, { email })
  if (!login || login.disabledAt) return
  const secret = await db.begin(async tx => {
    await recordLoginEntry(
      tx,
      { action: 'login.reset_request', loginId: login.id, name: email, network },
      now(),
    )
    return createLink(tx, 'reset', { email: null, loginId: login.id }, now())
  })
  await sendMail(services, {
    to: login.email,
    subject: 'Choose a new password',
    ...letter([
      `Someone, probably you, asked for a new password at ${config.baseUrl}.`,
      { label: 'Choose a new password', url: `${config.baseUrl}/reset#${secret}` },
      'The link works for an hour, and only once. If it was not you, ignore this mail: your password stays as it is.',
    ]),
  })
}

const setPassword = query<{ id: string; passwordHash: string }>(
  'set-password',
  'update logins set password_hash = :passwordHash where id = :id',
)

/**
 * Replaces the password by a link, and ends all sessions of the login. A link that the operator made also removes the second factor; the first
 * link that proves the address removes passkeys and single sign-on.
 * @throws AppError `not_found` for a link that does not work; `validation_failed`; `rate_limited`; `forbidden`
 */
export async function resetPassword(
  services: SignInServices,
  { secret, password }: { secret: string; password: string },
  { browser, network }: Visitor,
): Promise<void> {
  requirePasswords(services)
  const { db, now } = services
  const attempt = await countAttempt(services, 'reset', { network })
  const { email } = await findLink(db, secret, ['reset', 'recover'], now())
  await refuseCommonPassword(password, email)
  const passwordHash = await hashPassword(password)
  await db.begin(async tx => {
    const { purpose, loginId } = await takeLink(tx, secret, ['reset', 'recover'], now())
    const [login] = await findLogin(tx, { id: loginId! })
    await setPassword(tx, { id: login!.id, passwordHash })
    if (purpose === 'recover') {
      await setTotp(tx, { loginId: login!.id, sealed: null, step: null })
      await removeRecoveryCodes(tx, login!.id)
    }
    await deleteLinks(tx, { email: null, loginId: login!.id })
    await endSessions(tx, { loginId: login!.id, id: null, exceptId: null })
    const removed = await proveAddress(tx, login!.id, now())
    const details = {
      removes_second_factor: purpose === 'recover',
      ...(removed > 0 && { removed_ways: removed }),
    }
    const actor = { loginId: login!.id, name: login!.email, network: browser.network }
    await recordLoginEntry(tx, { action: 'login.reset', ...actor, details }, now())
    const notice = { kind: purpose === 'recover' ? 'recover' : 'reset' } as const
    await tellLogin(tx, services, login!.id, { notice, origin: browser })
  })
  await attempt.giveBack()
}

/** Sets a password in the transaction of a change by its owner. Links to replace it are of no use any more. */
export async function changePasswordHash(
  tx: Parameters<typeof setPassword>[0],
  loginId: string,
  passwordHash: string,
): Promise<void> {
  await setPassword(tx, { id: loginId, passwordHash })
  await deleteLinks(tx, { email: null, loginId })
}
