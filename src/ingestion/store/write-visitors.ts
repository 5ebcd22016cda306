import { arraysOf, timeText } from '../../platform/db/array-text.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Visitor } from './batch-context.ts'

const VISITOR_STATE = {
  firstSeenTimes: (visitor: Visitor) => timeText(visitor.firstSeenAt),
  sessionCounts: (visitor: Visitor) => visitor.sessionCount,
  newestSessionTimes: (visitor: Visitor) => timeText(visitor.newestSessionAt),
  pendingIdentifiers: (visitor: Visitor) => visitor.pending?.identifier ?? null,
  pendingTimes: (visitor: Visitor) => timeText(visitor.pending?.since),
  // The array's text form has numbers and texts only.
  pendingSplits: (visitor: Visitor) => (visitor.pending?.splits ? 1 : 0),
}

const CHANGED_VISITOR = {
  siteNos: (visitor: Visitor) => visitor.siteNo,
  visitorNos: (visitor: Visitor) => visitor.visitorNo,
  ...VISITOR_STATE,
}

const NEW_VISITOR = {
  ...CHANGED_VISITOR,
  ids: (visitor: Visitor) => visitor.id,
  importedAs: (visitor: Visitor) => visitor.importedAs,
}

const insertVisitorRows = query<Record<keyof typeof NEW_VISITOR, string>>(
  'insert-visitors',
  `insert into visitors (
    visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
    pending_identifier, pending_since, pending_splits, imported_as
  )
  select
    visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
    pending_identifier, pending_since, pending_splits::boolean, imported_as
  from unnest(
    :visitorNos::int[], :siteNos::int[], :ids::uuid[], :firstSeenTimes::timestamptz[], :sessionCounts::int[],
    :newestSessionTimes::timestamptz[], :pendingIdentifiers::text[], :pendingTimes::timestamptz[], :pendingSplits::int[],
    :importedAs::text[]
  ) as added (
    visitor_no, site_no, id, first_seen_at, session_count, newest_session_at,
    pending_identifier, pending_since, pending_splits, imported_as
  )`,
)

const updateVisitorRows = query<Record<keyof typeof CHANGED_VISITOR, string>>(
  'update-visitors',
  `update visitors
  set
    first_seen_at = changed.first_seen_at,
    session_count = changed.session_count,
    newest_session_at = changed.newest_session_at,
    pending_identifier = changed.pending_identifier,
    pending_since = changed.pending_since,
    pending_splits = changed.pending_splits::boolean
  from unnest(
    :visitorNos::int[], :firstSeenTimes::timestamptz[], :sessionCounts::int[], :newestSessionTimes::timestamptz[],
    :pendingIdentifiers::text[], :pendingTimes::timestamptz[], :pendingSplits::int[]
  ) as changed (
    visitor_no, first_seen_at, session_count, newest_session_at, pending_identifier, pending_since, pending_splits
  )
  where visitors.visitor_no = changed.visitor_no`,
)

/** Inserts the new visitors of a batch and updates those that it changed. */
export async function writeVisitors(tx: Transaction, added: Visitor[], changed: Visitor[]): Promise<void> {
  if (added.length > 0) await insertVisitorRows(tx, arraysOf(NEW_VISITOR, added))
  if (changed.length > 0) await updateVisitorRows(tx, arraysOf(CHANGED_VISITOR, changed))
}

interface IdentityRow {
  siteNo: number
  at: number
  identity: NonNullable<EnrichedHit['identity']>
  importedAs: string | null
}

const IDENTITY = {
  siteNos: (row: IdentityRow) => row.siteNo,
  identifiers: (row: IdentityRow) => row.identity.identifier,
  names: (row: IdentityRow) => row.identity.name ?? null,
  avatars: (row: IdentityRow) => row.identity.avatar ?? null,
  customs: (row: IdentityRow) => (row.identity.custom ? JSON.stringify(row.identity.custom) : null),
  times: (row: IdentityRow) => timeText(row.at),
  importedAs: (row: IdentityRow) => row.importedAs,
}

/**
 * The latest hit wins; fields that a hit does not contain stay unchanged. Imports of other products do not change what live hits
 * have written, so that they can be removed again: `imported_as` has all formats that know the user, separated by commas.
 */
const upsertIdentityRows = query<Record<keyof typeof IDENTITY, string>>(
  'upsert-identities',
  `insert into identities (site_no, identifier, name, avatar, custom, updated_at, imported_as)
  select site_no, identifier, name, avatar, custom::jsonb, updated_at, imported_as
  from unnest(
    :siteNos::int[], :identifiers::text[], :names::text[], :avatars::text[], :customs::text[], :times::timestamptz[],
    :importedAs::text[]
  ) as given (site_no, identifier, name, avatar, custom, updated_at, imported_as)
  on conflict (site_no, identifier) do update
  set
    name = coalesce(
      case when excluded.updated_at >= identities.updated_at then excluded.name end, identities.name, excluded.name),
    avatar = coalesce(
      case when excluded.updated_at >= identities.updated_at then excluded.avatar end, identities.avatar, excluded.avatar),
    custom = coalesce(
      case when excluded.updated_at >= identities.updated_at then excluded.custom end, identities.custom, excluded.custom),
    updated_at = greatest(identities.updated_at, excluded.updated_at),
    imported_as = case
      when excluded.imported_as = any(string_to_array(identities.imported_as, ',')) then identities.imported_as
      else identities.imported_as || ',' || excluded.imported_as
    end
  where excluded.imported_as is null or identities.imported_as is not null`,
)

/**
 * Writes the identities of a batch, merged by user.
 * @param hits in time order: newer values overwrite older ones
 */
export async function writeIdentities(
  tx: Transaction,
  hits: Pick<EnrichedHit, 'siteNo' | 'at' | 'identity' | 'importedAs'>[],
): Promise<void> {
  const merged = new Map<string, IdentityRow>()
  for (const { siteNo, at, identity, importedAs = null } of hits) {
    if (!identity) continue
    const key = `${siteNo}/${identity.identifier}`
    merged.set(key, { siteNo, at, importedAs, identity: { ...merged.get(key)?.identity, ...identity } })
  }
  if (merged.size > 0) await upsertIdentityRows(tx, arraysOf(IDENTITY, [...merged.values()]))
}
