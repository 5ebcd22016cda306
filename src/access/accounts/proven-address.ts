import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'

/** Returns no row when it was proved before. */
const markProven = query<{ loginId: string; now: Date }, { id: string }>(
  'mark-address-proven',
  'update logins set email_proven_at = :now where id = :loginId and email_proven_at is null returning id',
)

const deletePasskeys = query<{ loginId: string }, { id: string }>(
  'remove-all-passkeys',
  'delete from passkeys where login_id = :loginId returning id',
)

const deleteIdentities = query<{ loginId: string }, { issuer: string }>(
  'remove-all-oidc-identities',
  'delete from oidc_identities where login_id = :loginId returning issuer',
)

/**
 * Writes that the owner of the login's address is at work. The first time, the passkeys and the links to single sign-on that the login
 * has are removed: another person may have made it with this address, and would keep a way into what its owner joins.
 * @returns how many ways were removed
 */
export async function proveAddress(tx: Transaction, loginId: string, now: Date): Promise<number> {
  const [first] = await markProven(tx, { loginId, now })
  if (!first) return 0
  const passkeys = await deletePasskeys(tx, { loginId })
  const identities = await deleteIdentities(tx, { loginId })
  return passkeys.length + identities.length
}
