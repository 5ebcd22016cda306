import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Services } from '../../platform/services.ts'
import { type Addressee, queueNotice } from '../accounts/notices/notices.ts'
import type { Client } from '../accounts/sessions.ts'

const selectOwners = query<{ teamId: string }, Addressee & { team: string }>(
  'list-owners-to-tell',
  `select logins.email, logins.language, teams.name as team
  from users
  join logins on logins.id = users.login_id
  join teams on teams.id = users.team_id
  where users.team_id = :teamId and users.role = 'owner' and logins.disabled_at is null
  order by logins.email`,
)

/**
 * Tells all owners of a team, the new one included, that a person has become an owner. Call it in the transaction of the change, after it.
 * @param added `by`: who did it, as the mail names them
 */
export async function tellOwners(
  db: Queryable,
  services: Pick<Services, 'config' | 'now'>,
  { teamId, email, by }: { teamId: string; email: string; by: string },
  origin: Client,
): Promise<void> {
  if (!services.config.mail) return
  const owners = await selectOwners(db, { teamId })
  const [owner] = owners
  if (!owner) return
  await queueNotice(db, services, owners, {
    notice: { kind: 'owner', email, team: owner.team, by },
    origin,
  })
}
