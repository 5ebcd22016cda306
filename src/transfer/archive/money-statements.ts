import { query } from '../../db/query.ts'
import type { After, KeyedLine } from './row-statements.ts'

// What exports of a site leave out, since it says nothing to a reader, but what the numbers of money are derived from again. Lines have all
// columns but the number of the site. Their visitors have their ids.

export const archiveFacts = query<After, KeyedLine>(
  'archive-facts',
  `select array[event_id, kind, object_id] as key, (to_jsonb(processor_facts) - 'site_no')::text as line
  from processor_facts
  where
    site_no = :siteNo::int
    and (event_id, kind, object_id) > ((:key::text[])[1], (:key::text[])[2], (:key::text[])[3])
  order by event_id, kind, object_id
  limit :limit::int`,
)

export const archiveErasedPayers = query<After, KeyedLine>(
  'archive-erased-payers',
  `select array[digest::text] as key, (to_jsonb(erased_payers) - 'site_no')::text as line
  from erased_payers
  where
    site_no = :siteNo::int
    and digest > coalesce(nullif((:key::text[])[1], ''), '00000000-0000-0000-0000-000000000000')::uuid
  order by digest
  limit :limit::int`,
)

export const archiveLifecycleEvents = query<After, KeyedLine>(
  'archive-lifecycle-events',
  `select array[subscription_id, name, key] as key, (to_jsonb(lifecycle_events) - 'site_no')::text as line
  from lifecycle_events
  where
    site_no = :siteNo::int
    and (subscription_id, name, lifecycle_events.key) > ((:key::text[])[1], (:key::text[])[2], (:key::text[])[3])
  order by subscription_id, name, lifecycle_events.key
  limit :limit::int`,
)

export const archiveAwaitingVisitors = query<After, KeyedLine>(
  'archive-awaiting-visitors',
  `select
    array[visitor_id::text, target, at::text, id::text] as key,
    (to_jsonb(awaiting_visitors) - 'site_no')::text as line
  from awaiting_visitors
  where
    site_no = :siteNo::int
    and (visitor_id, target, at, id) > (
      coalesce(nullif((:key::text[])[1], ''), '00000000-0000-0000-0000-000000000000')::uuid,
      (:key::text[])[2],
      coalesce(nullif((:key::text[])[3], ''), '-infinity')::timestamptz,
      coalesce(nullif((:key::text[])[4], ''), '00000000-0000-0000-0000-000000000000')::uuid
    )
  order by visitor_id, target, at, id
  limit :limit::int`,
)

export const archivePriceDependents = query<After, KeyedLine>(
  'archive-price-dependents',
  `select
    array[object_id, holder_id, is_customer::text] as key,
    (to_jsonb(price_dependents) - 'site_no')::text as line
  from price_dependents
  where
    site_no = :siteNo::int
    and (object_id, holder_id, is_customer)
      > ((:key::text[])[1], (:key::text[])[2], coalesce(nullif((:key::text[])[3], ''), 'false')::boolean)
  order by object_id, holder_id, is_customer
  limit :limit::int`,
)

export const archiveRecomputeQueue = query<After, KeyedLine>(
  'archive-recompute-queue',
  `select
    array[subscription_id] as key, jsonb_build_object('subscription_id', subscription_id)::text as line
  from recompute_queue
  where site_no = :siteNo::int and subscription_id > (:key::text[])[1]
  order by subscription_id
  limit :limit::int`,
)
