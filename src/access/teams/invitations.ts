import { randomUUID } from 'node:crypto'
import { validate as isUuid } from 'uuid'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { Services } from '../../platform/services.ts'
import { hashSecret, newSecret } from '../accounts/secrets.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller, Role } from './caller.ts'
import type { Person } from './credentials.ts'
import type { CreateInvitation, Invitation, OpenInvitation } from './invitation-schema.ts'
import { lockTeam } from './lock-team.ts'
import { mailInvitation, mayMail } from './mail-invitation.ts'
import { requireGivable } from './role-rules.ts'
import { requireSiteLimit } from './site-limits.ts'
import { keepToken, noLaterThanToken, requireScopesOfRole } from './token-rules.ts'

/** How long a link works at most. */
const INVITATION_MS = 7 * DAY_MS
/** How long an expired invitation is listed. */
const KEPT_MS = 30 * DAY_MS
/** Open invitations of a team. */
export const MAX_INVITATIONS = 100

type InvitationServices = Pick<Services, 'db' | 'config' | 'log' | 'now'> & { audit: Audit }

interface InvitationRow {
  id: string
  email: string
  role: Role
  siteIds: string[] | null
  invitedBy: string
  expiresAt: Date
  createdAt: Date
}

const COLUMNS = `
  id, email, role, site_ids as "siteIds", invited_by as "invitedBy", expires_at as "expiresAt", created_at as "createdAt"`

const selectInvitations = query<{ teamId: string }, InvitationRow>(
  'list-invitations',
  `select ${COLUMNS} from invitations where team_id = :teamId order by created_at desc, id`,
)

/** Returns the invitations of a team that no person has accepted, newest first; expired ones for another month. */
export async function listInvitations(
  { db }: Pick<Services, 'db'>,
  { teamId }: Caller,
): Promise<Invitation[]> {
  return (await selectInvitations(db, { teamId })).map(presentInvitation)
}

function presentInvitation({ siteIds, invitedBy, expiresAt, createdAt, ...row }: InvitationRow): Invitation {
  return {
    ...row,
    site_ids: siteIds,
    invited_by: invitedBy,
    expires_at: expiresAt.toISOString(),
    created_at: createdAt.toISOString(),
  }
}

/** Deletes invitations of a team that expired before a time, and that of an address if it has expired. */
const deleteExpired = query<{ teamId: string; email: string; now: Date; before: Date }>(
  'delete-expired-invitations',
  `delete from invitations
  where team_id = :teamId and (expires_at <= :before or (email = :email and expires_at <= :now))`,
)

const countObstacles = query<
  { teamId: string; email: string; now: Date },
  { open: number; invited: number; users: number }
>(
  'count-invitation-obstacles',
  `select
    (select count(*)::int from invitations where team_id = :teamId and expires_at > :now) as open,
    (select count(*)::int from invitations where team_id = :teamId and email = :email) as invited,
    (
      select count(*)::int
      from users
      left join logins on logins.id = users.login_id
      where users.team_id = :teamId and (users.email = :email or logins.email = :email)
    ) as users`,
)

const insertInvitation = query<
  {
    id: string
    teamId: string
    email: string
    role: Role
    siteIds: string[] | null
    hash: Uint8Array
    invitedBy: string
    userId: string
    tokenId: string | null
    expiresAt: Date
    now: Date
  },
  InvitationRow
>(
  'create-invitation',
  `insert into invitations (id, team_id, email, role, site_ids, hash, invited_by, user_id, token_id, expires_at, created_at)
  values (:id, :teamId, :email, :role, :siteIds, :hash, :invitedBy, :userId, :tokenId, :expiresAt, :now)
  returning ${COLUMNS}`,
)

/**
 * Invites an e-mail address to the team, and mails the link where the service sends mail. An invitation of a token ends with the token, at the
 * latest, and its answer has no link.
 * @param person who invites, when it is a signed-in person
 * @throws AppError `forbidden` for a role above the caller's or with scopes that the token lacks, and beyond the ceiling of open invitations; `not_found` for a site;
 * `validation_failed` for an address that is invited or belongs to a user already
 */
export async function createInvitation(
  services: InvitationServices,
  caller: Caller,
  person: Person | null,
  { email, role, site_ids }: CreateInvitation,
): Promise<OpenInvitation> {
  const { db, audit } = services
  const { teamId, userId, tokenId } = caller
  const now = services.now()
  requireGivable(caller.role, role)
  requireScopesOfRole(caller, role)
  const secret = newSecret()
  const made = await db.begin(async transaction => {
    const { name: teamName } = await lockTeam(transaction, teamId)
    const siteIds = await requireSiteLimit(transaction, { teamId, role, siteIds: site_ids ?? null })
    const before = new Date(now.getTime() - KEPT_MS)
    await deleteExpired(transaction, { teamId, email, now, before })
    await requireNewAddress(transaction, { teamId, email, now })
    const invitedBy = person?.name ?? caller.email
    const expiresAt = noLaterThanToken(caller, new Date(now.getTime() + INVITATION_MS))
    const id = randomUUID()
    // Before the lock on the user that `audit` takes, as in a change of the login.
    const isMailed = await mayMail(transaction, services, caller)
    // Before the invitation, since it makes sure that the user is still there: the invitation refers to them.
    await audit(transaction, auditEntry('invitation.create', { id, email, role, siteIds }))
    await keepToken(transaction, caller)
    const [row] = await insertInvitation(transaction, {
      ...{ id, teamId, email, role, siteIds, hash: hashSecret(secret) },
      ...{ invitedBy, userId, tokenId, expiresAt, now },
    })
    return { row: row!, teamName, isMailed }
  })
  return openInvitation(services, caller, made, secret)
}

async function requireNewAddress(db: Queryable, address: { teamId: string; email: string; now: Date }) {
  const [found] = await countObstacles(db, address)
  const { open, invited, users } = found!
  if (users > 0) throw invalidField('email', 'The team has a user with this address already')
  if (invited > 0) {
    throw invalidField('email', 'This address is invited already: resend that invitation, or revoke it')
  }
  if (open >= MAX_INVITATIONS) {
    throw new AppError(
      'forbidden',
      `The team has ${MAX_INVITATIONS} open invitations, as many as it may: revoke one that is not needed`,
    )
  }
}

const auditEntry = (
  action: 'invitation.create' | 'invitation.resend' | 'invitation.revoke',
  { id, email, role, siteIds }: Pick<InvitationRow, 'id' | 'email' | 'role' | 'siteIds'>,
) => ({ action, object: { type: 'invitation', id }, details: { email, role, site_ids: siteIds } })

/** Mails the link when that is allowed, and returns the invitation, to a browser with the link. */
async function openInvitation(
  services: InvitationServices,
  { tokenId }: Caller,
  { row, teamName, isMailed }: { row: InvitationRow; teamName: string; isMailed: boolean },
  secret: string,
): Promise<OpenInvitation> {
  const url = `${services.config.baseUrl}/invite#${secret}`
  const { email, invitedBy, expiresAt } = row
  const isShort = expiresAt.getTime() < services.now().getTime() + INVITATION_MS - MINUTE_MS
  const works = isShort
    ? `until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
    : 'for seven days'
  const mailed = isMailed && (await mailInvitation(services, { email, teamName, invitedBy, url, works }))
  return { ...presentInvitation(row), url: tokenId === null ? url : null, mailed }
}

const lockInvitation = query<{ teamId: string; id: string }, InvitationRow>(
  'lock-invitation',
  `select ${COLUMNS} from invitations where team_id = :teamId and id = :id for update`,
)

/** Returns an invitation that the caller may manage. @throws AppError `not_found`; `forbidden` for a role above the caller's */
async function findInvitation(
  transaction: Transaction,
  { teamId, role }: Caller,
  id: string,
): Promise<InvitationRow> {
  const [row] = isUuid(id) ? await lockInvitation(transaction, { teamId, id }) : []
  if (!row) throw new AppError('not_found', 'No such invitation')
  requireGivable(role, row.role)
  return row
}

const renewInvitation = query<
  {
    id: string
    hash: Uint8Array
    invitedBy: string
    userId: string
    tokenId: string | null
    expiresAt: Date
  },
  InvitationRow
>(
  'renew-invitation',
  `update invitations
  set hash = :hash, invited_by = :invitedBy, user_id = :userId, token_id = :tokenId, expires_at = :expiresAt
  where id = :id
  returning ${COLUMNS}`,
)

/**
 * Gives an invitation a new link, which works for seven days, that of a token as long as the token; the old one ends.
 * @throws AppError `not_found`; `forbidden` for a role above the caller's, who would see the link, or with scopes that the token lacks
 */
export async function resendInvitation(
  services: InvitationServices,
  caller: Caller,
  person: Person | null,
  { id }: { id: string },
): Promise<OpenInvitation> {
  const { db, audit } = services
  const { teamId, userId, tokenId } = caller
  const expiresAt = noLaterThanToken(caller, new Date(services.now().getTime() + INVITATION_MS))
  const secret = newSecret()
  const made = await db.begin(async transaction => {
    const { name: teamName } = await lockTeam(transaction, teamId)
    const found = await findInvitation(transaction, caller, id)
    requireScopesOfRole(caller, found.role)
    const invitedBy = person?.name ?? caller.email
    const renewed = { id: found.id, hash: hashSecret(secret), invitedBy, userId, tokenId, expiresAt }
    const isMailed = await mayMail(transaction, services, caller)
    await audit(transaction, auditEntry('invitation.resend', found))
    await keepToken(transaction, caller)
    const [row] = await renewInvitation(transaction, renewed)
    return { row: row!, teamName, isMailed }
  })
  return openInvitation(services, caller, made, secret)
}

const deleteInvitation = query<{ id: string }>('delete-invitation', 'delete from invitations where id = :id')

/** Ends an invitation and its link. @throws AppError `not_found`; `forbidden` for a role above the caller's */
export async function revokeInvitation(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  caller: Caller,
  { id }: { id: string },
): Promise<void> {
  await db.begin(async transaction => {
    await lockTeam(transaction, caller.teamId)
    const found = await findInvitation(transaction, caller, id)
    await audit(transaction, auditEntry('invitation.revoke', found))
    await deleteInvitation(transaction, { id: found.id })
  })
}
