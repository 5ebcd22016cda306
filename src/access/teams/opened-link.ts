import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { deleteLinks, takeLinkByHash } from '../accounts/links.ts'
import { tellLogin } from '../accounts/notices/notices.ts'
import { proveAddress } from '../accounts/proven-address.ts'
import { removeRecoveryCodes } from '../accounts/recovery-codes.ts'
import { endSessions } from '../accounts/sessions.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import { setTotp } from '../accounts/totp.ts'
import { recordLoginEntry } from '../audit/login-entries.ts'
import { renameUsers } from './account.ts'
import { type Invited, type Joiner, joinTeam } from './join.ts'
import { joinMemberships } from './set-up-login.ts'

/** What the secret of a link stands for that a person has opened before signing in with single sign-on. */
export type OpenedLink =
  | { kind: 'setup'; email: string }
  | { kind: 'recover'; loginId: string }
  | ({ kind: 'invitation' } & Invited)

const takeInvitation = query<{ hash: Uint8Array; now: Date }, Invited>(
  'take-invitation-by-hash',
  `delete from invitations
  where hash = :hash and expires_at > :now
  returning team_id as "teamId", email, role, site_ids as "siteIds", invited_by as "invitedBy"`,
)

/**
 * Takes the link: it works once.
 * @param hash SHA-256 of its secret, hex
 * @throws SsoRefusal `link_invalid`
 */
export async function takeOpenedLink(tx: Transaction, hex: string, now: Date): Promise<OpenedLink> {
  const hash = Buffer.from(hex, 'hex')
  const link = await takeLinkByHash(tx, hash, ['setup', 'recover'], now)
  if (link?.loginId) return { kind: 'recover', loginId: link.loginId }
  if (link) return { kind: 'setup', email: link.email }
  const [invited] = await takeInvitation(tx, { hash, now })
  if (!invited) throw new SsoRefusal('link_invalid')
  return { kind: 'invitation', ...invited }
}

/**
 * Does what the link is for.
 * @throws SsoRefusal `linked_elsewhere` for a link of another login
 */
export async function useOpenedLink(
  tx: Transaction,
  joiner: Joiner,
  link: OpenedLink,
  now: Date,
): Promise<void> {
  const { loginId, email: name, origin, config } = joiner
  const { network } = origin
  if (link.kind === 'invitation') return joinTeam(tx, joiner, link, now)
  const entry = { loginId, name, network, details: { method: 'single_sign_on' } }
  if (link.kind === 'setup') {
    await joinMemberships(tx, { loginId, email: link.email })
    await renameUsers(tx, loginId, name)
    return recordLoginEntry(tx, { action: 'login.setup', ...entry }, now)
  }
  if (link.loginId !== loginId) throw new SsoRefusal('linked_elsewhere')
  await setTotp(tx, { loginId, sealed: null, step: null })
  await removeRecoveryCodes(tx, loginId)
  await deleteLinks(tx, { email: null, loginId })
  await endSessions(tx, { loginId, id: null, exceptId: null })
  const removed = await proveAddress(tx, loginId, now)
  const details = {
    ...entry.details,
    removes_second_factor: true,
    ...(removed > 0 && { removed_ways: removed }),
  }
  await recordLoginEntry(tx, { action: 'login.reset', ...entry, details }, now)
  const services = { config, now: () => now }
  await tellLogin(tx, services, loginId, { notice: { kind: 'recover' }, origin })
}
