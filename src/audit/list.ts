import { z } from 'zod'
import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { label, timestamp, uuid } from '../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../schema/pagination.ts'
import { AUDIT_ACTIONS } from './audit.ts'

export const AuditLogQuery = z.object({
  action: z.enum(AUDIT_ACTIONS).optional().meta({ description: 'Only entries of this action.' }),
  user_id: z.guid().optional().meta({ description: 'Only what this user did.' }),
  ...pageFields(50),
})
export type AuditLogQuery = z.infer<typeof AuditLogQuery>

const Detail = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

export const AuditLogEntry = z
  .object({
    at: timestamp('When it happened.'),
    action: z.enum(AUDIT_ACTIONS).meta({ description: 'What was done.' }),
    actor: label(
      'Who did it: e-mail address, with the name of the token where one was used.',
      'ada@example.com',
    ),
    user_id: uuid('Id of the user who did it; null where no user of the team did.').nullable(),
    token_id: uuid('Id of the token that was used; null for a browser.').nullable(),
    network: label('Network of the client, not its address.', '192.0.2.0/24'),
    object_type: label('Kind of what it was done to.', 'token').nullable(),
    object_id: label('Id of what it was done to.', '0f5b2c1e-9d53-4c8e-8a4f-0c2d9f6b7e11').nullable(),
    details: z
      .record(z.string(), Detail)
      .meta({ description: 'What else there is to say.', example: { name: 'Export' } }),
  })
  .meta({ id: 'AuditLogEntry' })
export type AuditLogEntry = z.infer<typeof AuditLogEntry>

interface EntryFilter {
  teamId: string
  action: string | null
  userId: string | null
}

const IS_WANTED = `
  team_id = :teamId
  and (:action::text is null or action = :action)
  and (:userId::uuid is null or user_id = :userId)`

const selectEntries = query<
  EntryFilter & { limit: number; offset: number },
  Omit<AuditLogEntry, 'at'> & { at: Date }
>(
  'list-audit-entries',
  `select at, action, actor, user_id, token_id, network, object_type, object_id, details
  from audit_log
  where ${IS_WANTED}
  order by id desc
  limit :limit
  offset :offset`,
)

const countEntries = query<EntryFilter, { count: number }>(
  'count-audit-entries',
  `select count(*)::int as count from audit_log where ${IS_WANTED}`,
)

/** Returns a page of the audit log of a team, the newest first. */
export async function listAuditEntries(
  db: Queryable,
  teamId: string,
  input: AuditLogQuery,
): Promise<Page<AuditLogEntry>> {
  const filter = { teamId, action: input.action ?? null, userId: input.user_id ?? null }
  const [rows, [total]] = await Promise.all([
    selectEntries(db, { ...filter, ...windowOf(input) }),
    countEntries(db, filter),
  ])
  return { rows: rows.map(row => ({ ...row, at: row.at.toISOString() })), total: total!.count }
}

/** Deletes at most `limit` entries that are older than one year, which is how long the log is kept. */
export const forgetOldEntries = query<{ now: Date; limit: number }, { id: number }>(
  'forget-old-audit-entries',
  `delete from audit_log
  where id in (
    select id from audit_log where at < :now::timestamptz - interval '1 year' order by at limit :limit
  )
  returning id`,
)
