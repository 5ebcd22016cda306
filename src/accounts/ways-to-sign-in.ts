import type { Config } from '../config.ts'
import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError } from '../errors.ts'
import { passkeyObstacle } from './passkeys/relying-party.ts'

/** Makes changes to the ways of one login run one after the other. */
const lockLogin = query<{ loginId: string }, { id: string }>(
  'lock-login',
  'select id from logins where id = :loginId for no key update',
)

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
 * Runs a removal of a way to sign in, and checks that one is left that works with the settings of the service.
 * @throws AppError `forbidden` when none is left
 */
export async function keepingAWay<Result>(
  tx: Transaction,
  config: Pick<Config, 'baseUrl' | 'hasPasswords' | 'oidc'>,
  loginId: string,
  remove: () => Promise<Result>,
): Promise<Result> {
  await lockLogin(tx, { loginId })
  const result = await remove()
  const [ways] = await countWays(tx, { loginId, issuer: config.oidc?.issuer ?? null })
  const left =
    (config.hasPasswords ? ways!.passwords : 0) +
    (passkeyObstacle(config) === undefined ? ways!.passkeys : 0) +
    ways!.identities
  if (left === 0) throw new AppError('forbidden', LAST_WAY)
  return result
}
