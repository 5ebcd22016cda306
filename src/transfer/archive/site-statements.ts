import { query } from '../../db/query.ts'
import type { After, KeyedLine } from './row-statements.ts'

/** Without what is not in the archive (webhooks), and without what happened. */
export const archiveAlerts = query<After, KeyedLine>(
  'archive-alerts',
  `select
    array[id::text] as key,
    (
      to_jsonb(alert_rules) - array['site_no', 'endpoint_ids', 'is_enabled', 'active_since', 'checked_at', 'clear_since', 'judged_at', 'tested_at']
    )::text as line
  from alert_rules
  where
    site_no = :siteNo::int
    and id > coalesce(nullif((:key::text[])[1], ''), '00000000-0000-0000-0000-000000000000')::uuid
  order by id
  limit :limit::int`,
)

// What hits bring along, as it is: hits of the archive do not tell it wholly.

/** In the order of their numbers, which new numbers keep. Kept numbers name visitors by them. */
export const archiveVisitors = query<After, KeyedLine>(
  'archive-visitors',
  `select array[visitor_no::text] as key, (to_jsonb(visitors) - 'site_no')::text as line
  from visitors
  where site_no = :siteNo::int and visitor_no > coalesce(nullif((:key::text[])[1], ''), '-1')::int
  order by visitor_no
  limit :limit::int`,
)

/** Errors of days without details have no other source of their message. */
export const archiveErrorGroups = query<After, KeyedLine>(
  'archive-error-groups',
  `select array[error_id::text] as key, (to_jsonb(error_groups) - 'site_no')::text as line
  from error_groups
  where
    site_no = :siteNo::int
    and error_id > coalesce(nullif((:key::text[])[1], ''), '00000000-0000-0000-0000-000000000000')::uuid
  order by error_id
  limit :limit::int`,
)

/** Those that have ended, or have stored something, without their files. What they brought can be removed again. */
export const archiveImports = query<After, KeyedLine>('archive-imports')
