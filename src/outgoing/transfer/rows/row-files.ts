import type { ArchivedIn, ArchiveFile, TableName } from '../../../platform/db/tables.ts'
import { ATTRIBUTED, emailOf, familiesOf, userOf, visitorOf } from './row-sql.ts'
import type { Restored, Written } from './row-text.ts'

/**
 * When a restoration stores the rows by one statement; what takes more has no stage.
 * - `begin`: with the site. `kept`: before its hits. `details`: after them. `money`: after these.
 */
export type Stage = 'begin' | 'kept' | 'details' | 'money'

interface RowFile<Table extends TableName> extends Partial<Written> {
  table: Table
  /** Rows of one statement, where a thousand are too many, or too few since no index gives their order and each block sorts them again. */
  blockRows?: number
  /** Numbers that no hit of the archive gives: only a site whose details retention dropped has the file. */
  isKept?: true
  stage?: Stage
  /** How lines become rows again; without it, as they are. A text stands for itself. */
  restore?: Omit<Restored, 'table' | 'key'> | string
}

/** What an archive has of each site. */
export type SiteKind = Exclude<ArchiveFile, 'manifest' | 'users'>

const CREATED = { created_at: 'timestamptz', id: 'uuid' } as const
const BUCKET = { bucket: 'timestamptz' } as const
/** A row that an earlier run has stored stays. */
const ONCE = { isOnce: true } as const

const FIRST_VISIT = ['first_visitor_no', 'first_session_no']
const OF_PAYMENTS = [
  ...[
    'recorded',
    'payments',
    'revenue_minor',
    'first_paid_at',
    'last_paid_at',
    'last_kept_at',
    'email',
    'name',
  ],
  ...['mrr_minor', 'subscriptions', 'subscribed_at'],
]

/** Which rows are of days whose details were dropped. */
const BEFORE_DETAILS = 'ends_at <= (select details_from from sites where sites.site_no = :siteNo::int)'
/** Which imports are seen: those that have ended, or have stored something. */
const ENDED = "state in ('done', 'canceled', 'expired', 'undone')"
const IS_SHOWN = 'is_ready and removed_at is null'

/**
 * The files of a site in an archive, in their order, which is also that of a restoration. Files without a key have statements of their own:
 * `sql/queries/archive-{kind}.sql`, and hits are exported as always.
 */
export const ROW_FILES: { [Kind in SiteKind]: RowFile<ArchivedIn<Kind>> } = {
  settings: {
    table: 'sites',
    key: CREATED,
    without: ['team_id', 'identify_secret', 'deleted_at', 'purged_at'],
  },
  // Goals come first: funnels, segments and filters name them.
  goals: {
    table: 'goals',
    key: CREATED,
    without: ['goal_no'],
    stage: 'begin',
    restore: { isNumbered: true },
  },
  funnels: { table: 'funnels', key: CREATED, stage: 'begin' },
  segments: {
    table: 'segments',
    key: CREATED,
    without: ['user_id', 'created_by'],
    more: { owner_email: emailOf('segments.user_id'), created_by_email: emailOf('segments.created_by') },
    where: '(user_id is null or user_id = coalesce(:userId::uuid, user_id))',
    stage: 'begin',
    restore: {
      values: { user_id: userOf('owner_email'), created_by: userOf('created_by_email') },
      // A personal one whose owner is not in the team would become one of the site.
      where: "given.user_id is not null or line ->> 'owner_email' is null",
    },
  },
  annotations: {
    table: 'annotations',
    key: CREATED,
    without: ['created_by'],
    more: { created_by_email: emailOf('annotations.created_by') },
    stage: 'begin',
    restore: { values: { created_by: userOf('created_by_email') } },
  },
  alerts: {
    table: 'alert_rules',
    key: { id: 'uuid' },
    // Webhooks are not in the archive, and what happened is none of the rule.
    without: [
      'endpoint_ids',
      'is_enabled',
      'active_since',
      'checked_at',
      'clear_since',
      'judged_at',
      'tested_at',
    ],
    stage: 'begin',
    restore: {
      // Switched off: a person looks at the addresses first, and the service that they come from may still run.
      values: {
        endpoint_ids: 'jsonb_build_array()',
        is_enabled: 'false',
        active_since: "line -> 'created_at'",
      },
    },
  },
  'totals-imports': {
    table: 'totals_imports',
    key: { import_no: 'bigint' },
    without: ['import_no', 'imported_by'],
    where: IS_SHOWN,
    stage: 'begin',
    restore: { isNumbered: true },
  },
  'totals-families': {
    table: 'totals_families',
    key: { family_no: 'bigint' },
    without: ['import_no', 'family_no'],
    more: { import_id: 'totals_imports.id' },
    join: 'join totals_imports using (site_no, import_no)',
    where: IS_SHOWN,
    stage: 'begin',
    restore: {
      isNumbered: true,
      join: `join totals_imports
    on totals_imports.site_no = :siteNo::int and totals_imports.id = (line ->> 'import_id')::uuid`,
      values: { import_no: 'totals_imports.import_no' },
    },
  },
  'totals-days': {
    table: 'totals_days',
    key: { family_no: 'bigint', day: 'date', key: 'uuid' },
    without: ['family_no'],
    more: { import_id: 'family.import_id', place: 'family.place' },
    join: `join ${familiesOf(` and ${IS_SHOWN}`)} using (family_no)`,
    stage: 'details',
    restore: {
      join: `join ${familiesOf()}
    on family.import_id = (line ->> 'import_id')::uuid and family.place = (line ->> 'place')::bigint`,
      values: { family_no: 'family.family_no' },
      ...ONCE,
    },
  },
  // In the order of their numbers, which new numbers keep. Kept numbers name visitors by them.
  visitors: { table: 'visitors', key: { visitor_no: 'int' }, blockRows: 10_000 },
  hits: { table: 'events' },
  // What hits bring along, but not wholly: it becomes what the archive has.
  identities: {
    table: 'identities',
    key: { identifier: 'text' },
    stage: 'details',
    restore: {
      onConflict: `(site_no, identifier) do update set
    name = excluded.name, avatar = excluded.avatar, custom = excluded.custom, updated_at = excluded.updated_at,
    imported_as = excluded.imported_as`,
    },
  },
  // Errors of days without details have no other source of their message.
  'error-groups': {
    table: 'error_groups',
    key: { error_id: 'uuid' },
    stage: 'details',
    restore: {
      onConflict: '(site_no, error_id) do update set message = excluded.message, name = excluded.name',
    },
  },
  // Without their files. One that has stored hits and has not ended is as if it had been stopped: it can be undone.
  imports: {
    table: 'imports',
    key: { id: 'uuid' },
    without: ['created_by', 'progress', 'claimed_by', 'claimed_until'],
    more: {
      state: `case when ${ENDED} then state else 'canceled' end`,
      created_by_email: emailOf('imports.created_by'),
    },
    where: `(has_written or ${ENDED})`,
    stage: 'details',
    restore: { values: { created_by: userOf('created_by_email') }, onConflict: '(id) do nothing' },
  },
  values: {
    table: 'value_dictionary',
    key: { value_id: 'int' },
    without: ['sha256'],
    isKept: true,
    blockRows: 10_000,
  },
  'kept-days': {
    table: 'daily_rollups',
    key: { starts_at: 'timestamptz', ends_at: 'timestamptz' },
    without: ['version'],
    where: BEFORE_DETAILS,
    isKept: true,
    blockRows: 20,
    stage: 'kept',
    restore: { values: { version: 'gen_random_uuid()' } },
  },
  'kept-values': {
    table: 'daily_value_rollups',
    key: { dimension: 'text', starts_at: 'timestamptz', ends_at: 'timestamptz' },
    where: BEFORE_DETAILS,
    isKept: true,
    blockRows: 4,
    stage: 'kept',
  },
  'kept-hit-buckets': { table: 'kept_hit_buckets', key: BUCKET, isKept: true, stage: 'kept' },
  'kept-session-buckets': { table: 'kept_session_buckets', key: BUCKET, isKept: true, stage: 'kept' },
  'kept-sessions': { table: 'sessions', isKept: true, blockRows: 10_000 },
  // That of the visitor with the money may be gone. All else of a customer is derived from payments and movements.
  'first-visits': {
    table: 'customers',
    key: { customer: 'text', currency: 'text' },
    without: [...OF_PAYMENTS, ...FIRST_VISIT],
    more: { visitor_id: visitorOf('customers.first_visitor_no') },
    where: 'first_visit_at is not null',
    isKept: true,
  },
  // Money: each kind needs those before. Conflicts with rows of other sites are errors.
  'erased-payers': { table: 'erased_payers', key: { digest: 'uuid' }, stage: 'money', restore: ONCE },
  facts: {
    table: 'processor_facts',
    key: { event_id: 'text', kind: 'text', object_id: 'text' },
    stage: 'money',
    // The body of a link is JSON's null, which a record of the line would have as no value.
    restore: `insert into processor_facts
    (site_no, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, body)
  select
    :siteNo::int, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, line -> 'body'
  from jsonb_array_elements(:rows::text::jsonb) as line
  cross join lateral jsonb_populate_record(null::processor_facts, line) as given
  on conflict (site_no, event_id, kind, object_id) do nothing`,
  },
  subscriptions: { table: 'subscriptions', key: { subscription_id: 'text' }, stage: 'money', restore: ONCE },
  // With their other ids, and what their ledger row says: to which visitor and session they are attributed.
  payments: {
    table: 'payments',
    key: { paid_at: 'timestamptz', id: 'uuid' },
    more: {
      aliases: `(select coalesce(jsonb_agg(transaction_id order by transaction_id), '[]') from payment_aliases
      where payment_aliases.site_no = :siteNo::int and payment_aliases.payment_id = payments.id)`,
      is_first_of_customer: 'ledger.is_first_of_customer',
      attributed_visitor_id: visitorOf('ledger.visitor_no'),
      attributed_session_at: 'ledger.session_at',
    },
    join: `left join lateral (
    select visitor_no, session_at, is_first_of_customer from revenue
    where revenue.site_no = :siteNo::int and revenue.at = payments.paid_at and revenue.payment_id = payments.id
    limit 1
  ) as ledger on true`,
    stage: 'money',
    restore: { onConflict: '(site_no, transaction_id) do nothing' },
  },
  movements: {
    table: 'mrr_movements',
    key: { at: 'timestamptz', id: 'uuid' },
    without: ['visitor_no', 'session_no', 'session_at'],
    more: {
      attributed_visitor_id: visitorOf('mrr_movements.visitor_no'),
      attributed_session_at: 'mrr_movements.session_at',
    },
    stage: 'money',
    restore: { ...ATTRIBUTED, orderBy: 'given.at, given.id', ...ONCE },
  },
  'lifecycle-events': {
    table: 'lifecycle_events',
    key: { subscription_id: 'text', name: 'text', key: 'text' },
    stage: 'money',
    restore: ONCE,
  },
  'service-events': { table: 'events', stage: 'money' },
  'awaiting-visitors': {
    table: 'awaiting_visitors',
    key: { visitor_id: 'uuid', target: 'text', at: 'timestamptz', id: 'uuid' },
    stage: 'money',
    restore: ONCE,
  },
  'price-dependents': {
    table: 'price_dependents',
    key: { object_id: 'text', holder_id: 'text', is_customer: 'boolean' },
    stage: 'money',
    restore: ONCE,
  },
  'recompute-queue': {
    table: 'recompute_queue',
    key: { subscription_id: 'text' },
    without: ['announced_at', 'announced_since'],
    stage: 'money',
    restore: ONCE,
  },
}
