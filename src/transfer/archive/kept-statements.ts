import { query } from '../../db/query.ts'
import type { After, KeyedLine } from './row-statements.ts'

// Numbers of days before `details_from`, whose hits are gone. They name visitors and values by numbers, as `visitors` and `values` do.

export const archiveValues = query<After, KeyedLine>(
  'archive-values',
  `select array[value_id::text] as key, jsonb_build_object('value_id', value_id, 'value', value)::text as line
  from value_dictionary
  where site_no = :siteNo::int and value_id > coalesce(nullif((:key::text[])[1], ''), '-1')::int
  order by value_id
  limit :limit::int`,
)

export const archiveKeptDays = query<After, KeyedLine>(
  'archive-kept-days',
  `select
    array[starts_at::text, ends_at::text] as key,
    (to_jsonb(daily_rollups) - '{site_no,version}'::text[])::text as line
  from daily_rollups
  where
    site_no = :siteNo::int and ends_at <= (select details_from from sites where sites.site_no = :siteNo::int)
    and (starts_at, ends_at) > (
      coalesce(nullif((:key::text[])[1], ''), '-infinity')::timestamptz,
      coalesce(nullif((:key::text[])[2], ''), '-infinity')::timestamptz
    )
  order by starts_at, ends_at
  limit :limit::int`,
)

export const archiveKeptValues = query<After, KeyedLine>(
  'archive-kept-values',
  `select
    array[dimension, starts_at::text, ends_at::text] as key,
    (to_jsonb(daily_value_rollups) - 'site_no')::text as line
  from daily_value_rollups
  where
    site_no = :siteNo::int and ends_at <= (select details_from from sites where sites.site_no = :siteNo::int)
    and (dimension, starts_at, ends_at) > (
      (:key::text[])[1],
      coalesce(nullif((:key::text[])[2], ''), '-infinity')::timestamptz,
      coalesce(nullif((:key::text[])[3], ''), '-infinity')::timestamptz
    )
  order by dimension, starts_at, ends_at
  limit :limit::int`,
)

export const archiveKeptHitBuckets = query<After, KeyedLine>(
  'archive-kept-hit-buckets',
  `select array[bucket::text] as key, (to_jsonb(kept_hit_buckets) - 'site_no')::text as line
  from kept_hit_buckets
  where
    site_no = :siteNo::int and bucket > coalesce(nullif((:key::text[])[1], ''), '-infinity')::timestamptz
  order by bucket
  limit :limit::int`,
)

export const archiveKeptSessionBuckets = query<After, KeyedLine>(
  'archive-kept-session-buckets',
  `select array[bucket::text] as key, (to_jsonb(kept_session_buckets) - 'site_no')::text as line
  from kept_session_buckets
  where
    site_no = :siteNo::int and bucket > coalesce(nullif((:key::text[])[1], ''), '-infinity')::timestamptz
  order by bucket
  limit :limit::int`,
)

export const archiveKeptSessions = query<After, KeyedLine>('archive-kept-sessions')

/** First visits of customers: that of the visitor with the money may be gone. */
export const archiveFirstVisits = query<After, KeyedLine>('archive-first-visits')
