import { query } from '../../platform/db/query.ts'
import { invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { requireProof } from '../accounts/proof.ts'
import { requireRenewal } from '../accounts/sessions.ts'
import type { Audit } from '../audit/audit.ts'
import type { Caller } from '../teams/caller.ts'
import type { Person } from '../teams/credentials.ts'
import { lockTeam } from '../teams/lock-team.ts'
import type { DeleteTeam } from '../teams/own-teams.ts'
import { announceSiteChange } from './change-site.ts'

/** The rows of the sites stay: the purge needs them to find their data. */
const markSites = query<{ teamId: string; now: Date }, { trackingKey: string }>(
  'delete-sites-of-team',
  `update sites
  set deleted_at = :now
  where team_id = :teamId and deleted_at is null
  returning tracking_key as "trackingKey"`,
)

/** Tokens go with their users. */
const deleteUsers = query<{ teamId: string }, { loginId: string | null }>(
  'delete-users-of-team',
  'delete from users where team_id = :teamId returning login_id as "loginId"',
)

const deleteInvitations = query<{ teamId: string }>(
  'delete-invitations-of-team',
  'delete from invitations where team_id = :teamId',
)

const markTeam = query<{ teamId: string; now: Date }>(
  'delete-team',
  'update teams set deleted_at = :now where id = :teamId',
)

/**
 * Deletes the caller's team: its users, tokens and invitations end at once, and its sites are served no more. The purge removes the data
 * of the sites, and then the row of the team.
 * @throws AppError `forbidden` without proof of who the caller is; `validation_failed` when the name is another
 */
export async function deleteTeam(
  services: Pick<Services, 'db' | 'redis' | 'config' | 'log' | 'now'> & { audit: Audit },
  { teamId }: Caller,
  person: Person,
  { name, password }: DeleteTeam,
): Promise<void> {
  const { db, audit, now } = services
  await requireProof(services, person, password)
  const at = now()
  const sites = await db.begin(async transaction => {
    const team = await lockTeam(transaction, teamId)
    if (team.name !== name) throw invalidField('name', 'name must be that of the team')
    // In the log of no team: that of the team goes with it.
    await audit(transaction, {
      action: 'team.delete',
      object: { type: 'team', id: teamId },
      details: { name },
      teamId: null,
    })
    const marked = await markSites(transaction, { teamId, now: at })
    await deleteInvitations(transaction, { teamId })
    const users = await deleteUsers(transaction, { teamId })
    // In one order, so that two deletions never wait for each other.
    const loginIds = users.flatMap(({ loginId }) => loginId ?? []).sort()
    for (const loginId of loginIds) await requireRenewal(transaction, { loginId })
    await markTeam(transaction, { teamId, now: at })
    return marked
  })
  await Promise.all(sites.map(({ trackingKey }) => announceSiteChange(services, trackingKey)))
}
