import { query } from '../../../../platform/db/query.ts'
import { restoreText } from '../plain-rows.ts'
import type { Rows } from './line-blocks.ts'

// Rows that an earlier run has stored are left as they are. Conflicts with rows of other sites are errors.

/** The body of a link is JSON's null, which a record of the line would have as no value. */
export const restoreFacts = query<Rows>(
  'restore-facts',
  `insert into processor_facts
    (site_no, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, body)
  select
    :siteNo::int, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, line -> 'body'
  from jsonb_array_elements(:rows::text::jsonb) as line
  cross join lateral jsonb_populate_record(null::processor_facts, line) as given
  on conflict (site_no, event_id, kind, object_id) do nothing`,
)

export const restoreErasedPayers = query<Rows>(
  'restore-erased-payers',
  restoreText('erased_payers', { onConflict: '(site_no, digest) do nothing' }),
)

export const restoreSubscriptions = query<Rows>(
  'restore-subscriptions',
  restoreText('subscriptions', { onConflict: '(site_no, subscription_id) do nothing' }),
)

export const restorePayments = query<Rows>(
  'restore-payments',
  restoreText('payments', { onConflict: '(site_no, transaction_id) do nothing' }),
)

export const restoreAliases = query<Rows>(
  'restore-payment-aliases',
  `insert into payment_aliases (site_no, transaction_id, payment_id)
  select :siteNo::int, alias.transaction_id, given.id
  from jsonb_to_recordset(:rows::text::jsonb) as given (id uuid, aliases jsonb)
  cross join lateral jsonb_array_elements_text(given.aliases) as alias (transaction_id)
  on conflict (site_no, transaction_id) do nothing`,
)

export const restoreLedger = query<Rows, { at: Date }>('restore-ledger')
export const restoreMovements = query<Rows>('restore-movements')
export const restoreServiceEvents = query<Rows, { at: Date }>('restore-service-events')

export const restoreLifecycleEvents = query<Rows>(
  'restore-lifecycle-events',
  restoreText('lifecycle_events', { onConflict: '(site_no, subscription_id, name, key) do nothing' }),
)

export const restoreAwaitingVisitors = query<Rows>(
  'restore-awaiting-visitors',
  restoreText('awaiting_visitors', { onConflict: '(site_no, visitor_id, target, at, id) do nothing' }),
)

export const restorePriceDependents = query<Rows>(
  'restore-price-dependents',
  restoreText('price_dependents', { onConflict: '(site_no, object_id, holder_id, is_customer) do nothing' }),
)

export const restoreRecomputeQueue = query<Rows>(
  'restore-recompute-queue',
  restoreText('recompute_queue', { onConflict: '(site_no, subscription_id) do nothing' }),
)
