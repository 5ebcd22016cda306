// The tables of the database, each named once. The purge of deleted sites and the archive of a team follow from it, and `test/platform/db/tables.test.ts`
// compares it with a migrated database: a table, or a column that an archive would lack, fails until it has its place here.

/**
 * What a table holds.
 * - `own`, `money`: what people, trackers and processors gave. All numbers are derived from it.
 * - `kept`: numbers that are left of days without details.
 * - `derived`: what is made again from the others.
 * - `access`: secrets, agreements and addresses: each service has its own.
 * - `log`: what happened, to be looked at: numbers do not need it.
 * - `state`: notes of the service for its own work, such as queues.
 */
type Kind = 'own' | 'money' | 'kept' | 'derived' | 'access' | 'log' | 'state'

/**
 * How the rows of a deleted site or team go (`src/outgoing/retention/purge-deleted-sites.ts`).
 * - `rows`: some at a time, by one statement for all of these tables. `marks`: so, too, but for marks that a refresh still needs.
 * - `days`: those of a day at a time, whose buckets are marked. `buckets`: so, too, by bucket. `replays`: with the recordings of sessions.
 * - `key`, `trigger`: with the row that they belong to. `stays`: not at all.
 */
type Purge = 'rows' | 'marks' | 'days' | 'buckets' | 'replays' | 'key' | 'trigger' | 'stays'

/**
 * What the erasure of a person (`src/outgoing/people/erase`) does with their rows.
 * - `unlinked`: the fields that name the person are emptied; a number, a digest or an id of the processor that names no person may stay.
 * - `again`: they are made again without the person.
 * - `stays`: they name people of the team, or wait to be imported: what is stored later is new data.
 * - `nothing`: they hold nothing of a person.
 */
type Erasure = 'deleted' | 'unlinked' | 'again' | 'stays' | 'nothing'

/** On Citus: split by site, copied to all servers, or on the coordinator alone. */
type Servers = 'distributed' | 'reference' | 'coordinator'

interface Table<File extends string = string> {
  /** A table of a site has its number (`site_no`). */
  owner: 'site' | 'team' | 'person' | 'service'
  kind: Kind
  purge: Purge
  erasure: Erasure
  /** The kinds of files of a team's archive that have its rows; none where `kind` says why, or `docs/export.md` ("A whole team"). */
  archive: readonly File[]
  servers: Servers
}

const table =
  (owner: Table['owner'], servers: Servers = 'coordinator') =>
  <File extends string = never>(
    kind: Kind,
    purge: Purge,
    erasure: Erasure,
    ...archive: File[]
  ): Table<File> => ({ owner, kind, purge, erasure, archive, servers })

/** Of a site: in its shard on Citus, or on the coordinator. */
const shard = table('site', 'distributed')
const site = table('site')
const team = table('team')
const person = table('person')
const service = table('service')

export const TABLES = {
  sites: site('own', 'stays', 'again', 'settings'),

  // What people of the team define.
  goals: site('own', 'rows', 'nothing', 'goals'),
  funnels: site('own', 'rows', 'nothing', 'funnels'),
  segments: site('own', 'rows', 'stays', 'segments'),
  annotations: site('own', 'rows', 'stays', 'annotations'),
  alert_rules: site('own', 'rows', 'stays', 'alerts'),
  alert_incidents: site('log', 'rows', 'nothing'),
  shares: site('access', 'rows', 'stays'),
  mail_recipients: site('access', 'rows', 'stays'),
  processor_connections: site('access', 'rows', 'nothing'),
  import_secrets: site('access', 'rows', 'nothing'),

  // What trackers send.
  events: shard('own', 'days', 'deleted', 'hits', 'service-events'),
  sessions: shard('own', 'days', 'deleted', 'hits', 'kept-sessions'),
  web_vitals: shard('own', 'days', 'deleted', 'hits'),
  visitors: shard('own', 'rows', 'deleted', 'visitors', 'hits'),
  identities: shard('own', 'rows', 'deleted', 'identities'),
  error_groups: shard('own', 'rows', 'deleted', 'error-groups'),
  session_replays: shard('log', 'replays', 'deleted'),
  replay_chunks: shard('log', 'replays', 'deleted'),
  dead_letters: site('log', 'rows', 'deleted'),

  // Imports and exports of files.
  imports: site('own', 'rows', 'stays', 'imports'),
  import_parts: site('state', 'rows', 'stays'),
  totals_imports: site('own', 'rows', 'stays', 'totals-imports'),
  totals_families: site('own', 'rows', 'nothing', 'totals-families'),
  totals_days: site('own', 'rows', 'nothing', 'totals-days'),
  exported_days: shard('state', 'rows', 'nothing'),

  // Money.
  payments: shard('money', 'rows', 'unlinked', 'payments'),
  payment_aliases: shard('money', 'rows', 'unlinked', 'payments'),
  revenue: shard('money', 'days', 'unlinked', 'payments'),
  subscriptions: shard('money', 'rows', 'unlinked', 'subscriptions'),
  processor_facts: shard('money', 'rows', 'unlinked', 'facts'),
  mrr_movements: shard('money', 'days', 'unlinked', 'movements'),
  lifecycle_events: shard('money', 'rows', 'again', 'lifecycle-events'),
  awaiting_visitors: shard('money', 'rows', 'deleted', 'awaiting-visitors'),
  price_dependents: shard('money', 'rows', 'unlinked', 'price-dependents'),
  recompute_queue: shard('money', 'rows', 'nothing', 'recompute-queue'),
  erased_payers: shard('money', 'rows', 'unlinked', 'erased-payers'),
  customers: shard('derived', 'rows', 'again', 'first-visits'),
  mrr_changes: shard('derived', 'rows', 'again'),
  money_sessions: shard('kept', 'rows', 'deleted', 'kept-sessions'),
  webhook_events: shard('log', 'rows', 'nothing'),
  revenue_imports: site('state', 'rows', 'nothing'),
  revenue_import_work: shard('state', 'rows', 'unlinked'),

  // What is counted in advance. An archive has that of days without details.
  daily_rollups: shard('derived', 'rows', 'again', 'kept-days'),
  daily_value_rollups: shard('derived', 'rows', 'again', 'kept-values'),
  value_dictionary: shard('derived', 'rows', 'deleted', 'values'),
  rollup_spans: shard('derived', 'rows', 'nothing'),
  kept_hit_buckets: shard('kept', 'buckets', 'unlinked', 'kept-hit-buckets'),
  kept_session_buckets: shard('kept', 'buckets', 'nothing', 'kept-session-buckets'),
  daily_values: shard('derived', 'rows', 'unlinked'),
  source_spellings: shard('derived', 'rows', 'deleted'),
  column_blocks: shard('derived', 'rows', 'again'),
  stamps: shard('state', 'rows', 'nothing'),
  new_stamps: shard('state', 'rows', 'nothing'),
  dirty_buckets: shard('state', 'marks', 'nothing'),

  // What the service tells others of a site.
  webhook_endpoints: site('access', 'rows', 'nothing'),
  webhook_deliveries: site('state', 'rows', 'deleted'),
  webhook_attempts: site('log', 'rows', 'deleted'),
  outgoing_events: site('state', 'rows', 'deleted'),
  outgoing_hits: site('state', 'rows', 'deleted'),
  goal_candidates: site('state', 'rows', 'nothing'),
  goal_conversions: site('state', 'rows', 'nothing'),
  queued_mails: site('state', 'rows', 'stays'),

  erasures: site('log', 'rows', 'unlinked'),
  erasure_items: shard('state', 'rows', 'deleted'),

  teams: team('own', 'key', 'nothing', 'manifest'),
  users: team('own', 'key', 'stays', 'users'),
  invitations: team('access', 'key', 'stays'),
  tokens: team('access', 'key', 'stays'),
  audit_log: team('log', 'key', 'stays'),
  audit_counts: team('derived', 'trigger', 'stays'),

  // How people sign in, and which mails they get.
  logins: person('access', 'stays', 'stays'),
  passkeys: person('access', 'stays', 'stays'),
  recovery_codes: person('access', 'stays', 'stays'),
  oidc_identities: person('access', 'stays', 'stays'),
  browser_sessions: person('access', 'stays', 'stays'),
  one_time_links: person('access', 'stays', 'stays'),
  unsubscribed_addresses: person('access', 'stays', 'stays'),
  report_deliveries: person('state', 'key', 'stays'),

  migrations: service('state', 'stays', 'nothing'),
  watermarks: table('service', 'reference')('state', 'stays', 'nothing'),
  stamp_start: service('state', 'stays', 'nothing'),
  alert_clock: service('state', 'stays', 'nothing'),
  exit_page_fill: service('state', 'stays', 'nothing'),
}

export type TableName = keyof typeof TABLES

/** The kinds of files of a team's archive. */
export type ArchiveFile = (typeof TABLES)[TableName]['archive'][number]

/** The tables whose rows a kind of file has. */
export type ArchivedIn<File extends ArchiveFile> = {
  [Name in TableName]: File extends (typeof TABLES)[Name]['archive'][number] ? Name : never
}[TableName]

/** Returns the tables whose rows go in a way. */
export const tablesPurgedBy = (purge: Purge): TableName[] =>
  (Object.keys(TABLES) as TableName[]).filter(name => TABLES[name].purge === purge)
