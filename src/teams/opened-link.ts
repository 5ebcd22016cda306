import { auditLogin } from '../accounts/audit-login.ts'
import { SsoRefusal } from '../accounts/single-sign-on/refusal.ts'
import type { Audit } from '../audit/audit.ts'
import type { Transaction } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { type Invited, joinTeam } from './join.ts'

/** What the secret of a link stands for that a person has opened before signing in with single sign-on. */
export type OpenedLink =
  | { kind: 'setup'; email: string }
  | { kind: 'recover'; loginId: string; email?: undefined }
  | ({ kind: 'invitation' } & Invited)

const takeLink = query<
  { hash: string; now: Date },
  { kind: 'setup' | 'recover'; email: string | null; loginId: string | null }
>(
  'take-link-for-single-sign-on',
  `delete from one_time_links
  where hash = decode(:hash, 'hex') and expires_at > :now and purpose in ('setup', 'recover')
  returning purpose as kind, email, login_id as "loginId"`,
)

const takeInvitation = query<{ hash: string; now: Date }, Invited>(
  'take-invitation-for-single-sign-on',
  `delete from invitations
  where hash = decode(:hash, 'hex') and expires_at > :now
  returning id, team_id as "teamId", email, role, site_ids as "siteIds"`,
)

/**
 * Takes the link: it works once.
 * @param hash SHA-256 of its secret, hex
 * @throws SsoRefusal `link_invalid`
 */
export async function takeOpenedLink(tx: Transaction, hash: string, now: Date): Promise<OpenedLink> {
  const [link] = await takeLink(tx, { hash, now })
  if (link) return link as OpenedLink
  const [invitation] = await takeInvitation(tx, { hash, now })
  if (!invitation) throw new SsoRefusal('link_invalid')
  return { kind: 'invitation', ...invitation }
}

const joinWaitingUsers = query<{ loginId: string; email: string }, { id: string; teamId: string }>(
  'join-waiting-users',
  `update users
  set login_id = :loginId
  where
    email = :email
    and login_id is null
    and not exists (select from users as own where own.login_id = :loginId and own.team_id = users.team_id)
  returning id, team_id as "teamId"`,
)

const removeSecondFactor = query<{ loginId: string }>(
  'remove-second-factor',
  `with gone as (delete from recovery_codes where login_id = :loginId)
  update logins set totp_secret = null, totp_step = null where id = :loginId`,
)

/**
 * Does what the link is for.
 * @throws SsoRefusal `linked_elsewhere` for a link of another login
 */
export async function useOpenedLink(
  tx: Transaction,
  audit: Audit,
  { loginId }: { loginId: string },
  link: OpenedLink,
): Promise<void> {
  const details = { method: 'single_sign_on' }
  if (link.kind === 'invitation') return joinTeam(tx, audit, loginId, link)
  if (link.kind === 'setup') {
    for (const { id, teamId } of await joinWaitingUsers(tx, { loginId, email: link.email })) {
      await audit(tx, { action: 'login.setup', object: { type: 'user', id }, details, teamId })
    }
    return
  }
  if (link.loginId !== loginId) throw new SsoRefusal('linked_elsewhere')
  await removeSecondFactor(tx, { loginId })
  await auditLogin(tx, audit, loginId, { action: 'login.reset', details })
}
