import { z } from 'zod'
import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { runningDownload } from '../../platform/schema/download.ts'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { readByKey } from '../../platform/schema/read-by-key.ts'
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

/** The subquery reads an index alone, however far the page is; only the entries of the page are read themselves. */
const ENTRIES_OF = `
  select id, at, action, actor, user_id, token_id, network, object_type, object_id, details
  from audit_log
  where id = any(array(
    select id
    from audit_log`
const NEWEST = `
      and id < :before::bigint
    order by id desc
    limit :limit
    offset :offset
  ))
  order by id desc`
const OLDEST = `
    order by id
    limit :limit
    offset :offset
  ))
  order by id desc`

// One statement for each index: with optional conditions in one, the plan for any parameters would read all entries of the team.
const OF_TEAM = 'where team_id = :teamId'
const OF_ACTION = 'where team_id = :teamId and action = :action'
const OF_USER =
  'where team_id = :teamId and user_id = :userId and (:action::text is null or action = :action)'

type Row = Omit<AuditLogEntry, 'at'> & { id: number; at: Date }
interface OfTeam {
  teamId: string
  limit: number
  offset: number
}
type OfAction = OfTeam & { action: string }
type OfUser = OfTeam & { userId: string; action: string | null }
/** Only entries with a smaller id. */
type Before = { before: number }

const ofTeam = {
  newest: query<OfTeam & Before, Row>('list-newest-audit-entries', `${ENTRIES_OF} ${OF_TEAM} ${NEWEST}`),
  oldest: query<OfTeam, Row>('list-oldest-audit-entries', `${ENTRIES_OF} ${OF_TEAM} ${OLDEST}`),
}
const ofAction = {
  newest: query<OfAction & Before, Row>(
    'list-newest-audit-entries-of-action',
    `${ENTRIES_OF} ${OF_ACTION} ${NEWEST}`,
  ),
  oldest: query<OfAction, Row>('list-oldest-audit-entries-of-action', `${ENTRIES_OF} ${OF_ACTION} ${OLDEST}`),
}
const ofUser = {
  newest: query<OfUser & Before, Row>(
    'list-newest-audit-entries-of-user',
    `${ENTRIES_OF} ${OF_USER} ${NEWEST}`,
  ),
  oldest: query<OfUser, Row>('list-oldest-audit-entries-of-user', `${ENTRIES_OF} ${OF_USER} ${OLDEST}`),
}

/** Sums the counts that a trigger keeps: counting the entries themselves takes 100 ms for a million. */
const countEntries = query<EntryFilter, { count: number }>(
  'count-audit-entries',
  `select coalesce(sum(entries), 0)::int as count
  from audit_counts
  where team_id = :teamId
    and (:action::text is null or action = :action)
    and (:userId::uuid is null or user_id = :userId)`,
)

/** Returns a page of the audit log of a team, the newest first. */
export async function listAuditEntries(
  db: Queryable,
  teamId: string,
  input: AuditLogQuery,
): Promise<Page<AuditLogEntry>> {
  const filter = { teamId, action: input.action ?? null, userId: input.user_id ?? null }
  const count = async () => (await countEntries(db, filter))[0]!.count
  const download = runningDownload()
  if (download?.isWhole) {
    const { rows, total } = await readByKey<number, Row>(download, 'audit log', {
      count,
      read: (before, limit) => readEntries(db, filter, { limit, offset: 0 }, 'newest', before),
      keyOf: ({ id }) => id,
    })
    return { rows: rows.map(presentEntry), total }
  }
  const total = await count()
  const { limit, offset } = windowOf(input)
  // A page of the older half is counted from the oldest entry: the last page is as near as the first.
  const length = Math.min(limit, total - offset)
  if (length <= 0) return { rows: [], total }
  const isOld = offset > total / 2
  const window = isOld ? { limit: length, offset: total - offset - length } : { limit, offset }
  const rows = await readEntries(db, filter, window, isOld ? 'oldest' : 'newest')
  return { rows: rows.map(presentEntry), total }
}

const presentEntry = ({ id: _id, at, ...row }: Row): AuditLogEntry => ({ ...row, at: at.toISOString() })

function readEntries(
  db: Queryable,
  { teamId, action, userId }: EntryFilter,
  window: { limit: number; offset: number },
  from: 'newest' | 'oldest',
  before = Number.MAX_SAFE_INTEGER,
): Promise<Row[]> {
  if (from === 'oldest') {
    if (userId !== null) return ofUser.oldest(db, { teamId, userId, action, ...window })
    if (action !== null) return ofAction.oldest(db, { teamId, action, ...window })
    return ofTeam.oldest(db, { teamId, ...window })
  }
  if (userId !== null) return ofUser.newest(db, { teamId, userId, action, before, ...window })
  if (action !== null) return ofAction.newest(db, { teamId, action, before, ...window })
  return ofTeam.newest(db, { teamId, before, ...window })
}

/** Deletes at most `limit` entries that are older than one year, which is how long the log is kept. */
export const forgetOldEntries = query<{ now: Date; limit: number }, { id: number }>(
  'forget-old-audit-entries',
  `delete from audit_log
  where id = any(array(
    select id from audit_log where at < :now::timestamptz - interval '1 year' order by at limit :limit
  ))
  returning id`,
)

/** Adds up counts of entries, at most `limit` new ones. */
export const mergeCounts = query<{ limit: number }>('merge-audit-counts')
