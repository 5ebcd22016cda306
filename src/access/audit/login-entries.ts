import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { AuditAction, AuditEntry } from './audit.ts'

export interface LoginEntry {
  action: AuditAction
  /** null for an unknown e-mail address. */
  loginId: string | null
  /** E-mail address of the login. */
  name: string
  /** Network of the client address (`auditNetwork`). */
  network: string
  details?: AuditEntry['details']
}

/** A login belongs to no team: one row for each team of the login, so that the admins of each see it; one without a team for others. */
const insertEntries = query<{
  at: Date
  action: string
  loginId: string | null
  name: string
  network: string
  details: string
}>(
  'record-login-audit-entry',
  `insert into audit_log (at, team_id, action, login_id, user_id, actor, network, details)
  select :at, users.team_id, :action, login.id, users.id, :name, :network, (:details::text)::jsonb
  from (values (:loginId::uuid)) as login (id)
  left join users on users.login_id = login.id`,
)

/** Writes what a person did with their own login. It takes one statement, so that an answer takes as long for any address. */
export async function recordLoginEntry(
  db: Queryable,
  { details = {}, ...entry }: LoginEntry,
  now: Date,
): Promise<void> {
  await insertEntries(db, { ...entry, at: now, details: JSON.stringify(details) })
}
