import type { Audit, AuditEntry } from '../audit/audit.ts'
import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'

const listTeamsOf = query<{ loginId: string }, { teamId: string }>(
  'list-teams-of-login',
  'select team_id as "teamId" from users where login_id = :loginId order by created_at, id',
)

/** Writes an entry about a login into the log of each of its teams, whose admins are to see it; without a team, one entry of no team. */
export async function auditLogin(
  db: Queryable,
  audit: Audit,
  loginId: string,
  entry: Omit<AuditEntry, 'teamId'>,
): Promise<void> {
  const teams = await listTeamsOf(db, { loginId })
  if (teams.length === 0) await audit(db, { ...entry, teamId: null })
  for (const { teamId } of teams) await audit(db, { ...entry, teamId })
}
