import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'

/** A row as its line, with its place in the order of its kind. Times of a place are text: a Date would lose their microseconds. */
interface RowLine {
  at: string
  id: string
  line: string
}

interface After {
  siteNo: number
  /** Place of the row before. */
  at: string
  id: string
  limit: number
}

interface ByReader extends After {
  /** Null: those of all users. */
  userId: string | null
}

// Lines have all columns, so that a column that is added later is exported, too; what only this database knows is left out or named by what
// another one knows: a visitor by its id, a session by its visitor and start.

/** Settings of the site: one line, without its secret. */
const exportSettings = query<After, RowLine>(
  'export-settings',
  `select
    created_at::text as at, id::text as id,
    (to_jsonb(sites) - array['site_no', 'team_id', 'identify_secret', 'deleted_at', 'purged_at'])::text as line
  from sites
  where site_no = :siteNo::int and (created_at, id) > (:at::text::timestamptz, :id::text::uuid)
  order by created_at, id
  limit :limit::int`,
)

const exportGoals = query<After, RowLine>(
  'export-goals',
  `select created_at::text as at, id::text as id, (to_jsonb(goals) - array['site_no', 'goal_no'])::text as line
  from goals
  where site_no = :siteNo::int and (created_at, id) > (:at::text::timestamptz, :id::text::uuid)
  order by created_at, id
  limit :limit::int`,
)

const exportFunnels = query<After, RowLine>(
  'export-funnels',
  `select created_at::text as at, id::text as id, (to_jsonb(funnels) - 'site_no')::text as line
  from funnels
  where site_no = :siteNo::int and (created_at, id) > (:at::text::timestamptz, :id::text::uuid)
  order by created_at, id
  limit :limit::int`,
)

/** Personal ones have the address of their owner. */
const exportSegments = query<ByReader, RowLine>(
  'export-segments',
  `select
    segments.created_at::text as at, segments.id::text as id,
    (
      to_jsonb(segments) - array['site_no', 'user_id', 'created_by']
      || jsonb_build_object(
        'owner_email', (select email from users where users.id = segments.user_id),
        'created_by_email', (select email from users where users.id = segments.created_by)
      )
    )::text as line
  from segments
  where site_no = :siteNo::int
    and (user_id is null or user_id = coalesce(:userId::uuid, user_id))
    and (created_at, id) > (:at::text::timestamptz, :id::text::uuid)
  order by segments.created_at, segments.id
  limit :limit::int`,
)

const exportAnnotations = query<After, RowLine>(
  'export-annotations',
  `select
    annotations.created_at::text as at, annotations.id::text as id,
    (
      to_jsonb(annotations) - array['site_no', 'created_by']
      || jsonb_build_object('created_by_email', (select email from users where users.id = annotations.created_by))
    )::text as line
  from annotations
  where site_no = :siteNo::int and (created_at, id) > (:at::text::timestamptz, :id::text::uuid)
  order by annotations.created_at, annotations.id
  limit :limit::int`,
)

/** With the ledger row of the payment: to which visitor and session it is attributed. */
const exportPayments = query<After, RowLine>('export-site-payments')
const exportMovements = query<After, RowLine>('export-movements')
const exportServiceEvents = query<After, RowLine>('export-site-service-events')

const exportSubscriptions = query<Omit<After, 'at'>, Omit<RowLine, 'at'>>(
  'export-subscriptions',
  `select subscription_id as id, (to_jsonb(subscriptions) - 'site_no')::text as line
  from subscriptions
  where site_no = :siteNo::int and subscription_id > :id::text
  order by subscription_id
  limit :limit::int`,
)

const exportIdentities = query<Omit<After, 'at'>, Omit<RowLine, 'at'>>(
  'export-site-identities',
  `select identifier as id, (to_jsonb(identities) - 'site_no')::text as line
  from identities
  where site_no = :siteNo::int and identifier > :id::text
  order by identifier
  limit :limit::int`,
)

/** Statements by what they export. */
const BY_TIME = {
  settings: exportSettings,
  goals: exportGoals,
  funnels: exportFunnels,
  segments: exportSegments,
  annotations: exportAnnotations,
  payments: exportPayments,
  movements: exportMovements,
  'service-events': exportServiceEvents,
}
const BY_TEXT = { subscriptions: exportSubscriptions, identities: exportIdentities }

export const ROW_KINDS = [...Object.keys(BY_TIME), ...Object.keys(BY_TEXT)] as [RowKind, ...RowKind[]]
export type RowKind = keyof typeof BY_TIME | keyof typeof BY_TEXT

const BLOCK_ROWS = 1_000

/**
 * Yields the lines of a kind of a site, without line breaks, in blocks. Between blocks nothing is held in the database.
 * @param whose.userId the reader, whose personal segments are in it; null for the operator: those of all users
 */
export async function* exportRows(
  db: Queryable,
  whose: { siteNo: number; userId: string | null },
  kind: RowKind,
): AsyncGenerator<string[]> {
  let after = { at: '-infinity', id: kind in BY_TIME ? '00000000-0000-0000-0000-000000000000' : '' }
  for (;;) {
    const given = { ...whose, ...after, limit: BLOCK_ROWS }
    const rows =
      kind in BY_TIME ? await BY_TIME[kind as keyof typeof BY_TIME](db, given) : await byText(db, kind, given)
    const last = rows.at(-1)
    if (last) yield rows.map(({ line }) => line)
    if (!last || rows.length < BLOCK_ROWS) return
    after = { at: last.at, id: last.id }
  }
}

async function byText(db: Queryable, kind: RowKind, { at, ...after }: ByReader): Promise<RowLine[]> {
  const rows = await BY_TEXT[kind as keyof typeof BY_TEXT](db, after)
  return rows.map(row => ({ ...row, at }))
}
