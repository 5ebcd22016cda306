import type { Config } from '../../platform/config/config.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { passkeyObstacle } from './passkeys/relying-party.ts'

const countWays = query<
  { loginId: string; issuer: string | null },
  { passwords: number; passkeys: number; identities: number }
>(
  'count-ways-to-sign-in',
  `select
    (select count(*)::int from logins where id = :loginId and password_hash is not null) as passwords,
    (select count(*)::int from passkeys where login_id = :loginId) as passkeys,
    (select count(*)::int from oidc_identities where login_id = :loginId and issuer = :issuer::text) as identities`,
)

const LAST_WAY =
  'This is the last way to sign in that the login has: add a password, a passkey or single sign-on first'

/**
 * Checks that a login has a way to sign in that works with the settings of the service. Call it in `changeLogin`, after a removal: of two
 * removals at the same time, the second sees the first.
 * @throws AppError `forbidden`
 */
export async function requireAWay(
  tx: Transaction,
  config: Pick<Config, 'baseUrl' | 'hasPasswords' | 'oidc'>,
  loginId: string,
): Promise<void> {
  const [ways] = await countWays(tx, { loginId, issuer: config.oidc?.issuer ?? null })
  const left =
    (config.hasPasswords ? ways!.passwords : 0) +
    (passkeyObstacle(config) === undefined ? ways!.passkeys : 0) +
    ways!.identities
  if (left === 0) throw new AppError('forbidden', LAST_WAY)
}
