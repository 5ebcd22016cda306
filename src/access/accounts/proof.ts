import { AppError } from '../../platform/errors.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { countAttempt } from '../../platform/limits/attempts.ts'
import type { Services } from '../../platform/services.ts'
import { findLogin } from './logins.ts'
import { verifyPassword } from './passwords.ts'

const RECENT_MS = 15 * MINUTE_MS

/** What `requireProof` says when it refuses; for the description of endpoints. */
export const PROOF_NEEDED =
  'The password is missing or wrong; without a password, the sign-in is older than 15 minutes'

/**
 * Makes sure that the person is at the keyboard, not another one who found their browser open: by their password, or, for a login
 * without one, by a sign-in at most 15 minutes ago.
 * @throws AppError `forbidden`; `rate_limited` after too many wrong passwords
 */
export async function requireProof(
  services: Pick<Services, 'db' | 'redis' | 'config' | 'now'>,
  person: { loginId: string; authenticatedAt: Date },
  password: string | undefined,
): Promise<void> {
  const [login] = await findLogin(services.db, { id: person.loginId })
  if (!login) throw new AppError('forbidden', 'The login is gone')
  if (login.passwordHash === null || !services.config.hasPasswords)
    return requireRecentSignIn(services, person)
  if (password === undefined) {
    throw new AppError('forbidden', 'This needs your password, too')
  }
  const attempt = await countAttempt(services, 'proof', { login: person.loginId })
  const { isRight } = await verifyPassword(login.passwordHash, password)
  if (!isRight) throw new AppError('forbidden', 'The password is wrong')
  await attempt.giveBack()
}

function requireRecentSignIn({ now }: Pick<Services, 'now'>, { authenticatedAt }: { authenticatedAt: Date }) {
  if (now().getTime() - authenticatedAt.getTime() <= RECENT_MS) return
  throw new AppError('forbidden', 'This needs a sign-in that is at most 15 minutes old: sign in again')
}
