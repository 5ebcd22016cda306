import { query } from '../../../../platform/db/query.ts'
import { restoreText } from '../plain-rows.ts'
import type { Rows } from './line-blocks.ts'

/** What an earlier run has restored: it may have numbered visitors that no line names in another way. */
export const deleteKeptDays = query<{ siteNo: number }>(
  'delete-restored-days',
  `with
    site as (select details_from from sites where site_no = :siteNo::int),
    days as (
      delete from daily_rollups where site_no = :siteNo::int and ends_at <= (select details_from from site)
    ),
    day_values as (
      delete from daily_value_rollups where site_no = :siteNo::int and ends_at <= (select details_from from site)
    ),
    hits as (delete from kept_hit_buckets where site_no = :siteNo::int)
  delete from kept_session_buckets where site_no = :siteNo::int`,
)

export const restoreKeptDays = query<Rows>(
  'restore-kept-days',
  restoreText('daily_rollups', { values: { version: 'gen_random_uuid()' } }),
)

export const restoreKeptValues = query<Rows>('restore-kept-values', restoreText('daily_value_rollups'))

export const restoreKeptHitBuckets = query<Rows>('restore-kept-hit-buckets', restoreText('kept_hit_buckets'))

export const restoreKeptSessionBuckets = query<Rows>(
  'restore-kept-session-buckets',
  restoreText('kept_session_buckets'),
)

/** The days before are there: nothing rolls them up. */
export const beginRollupSpan = query<{ siteNo: number }>(
  'begin-restored-rollup-span',
  `insert into rollup_spans (site_no, timezone, rolled_up_from)
  select site_no, timezone, first.at
  from sites
  join (select min(starts_at) as at from daily_rollups where site_no = :siteNo::int) as first on first.at is not null
  where site_no = :siteNo::int
  on conflict (site_no) do update set rolled_up_from = least(rollup_spans.rolled_up_from, excluded.rolled_up_from)`,
)

/** Numbers for visitors that are in kept numbers, but have been erased since. */
export const drawVisitorNumbers = query<{ count: number }, { visitorNo: number }>(
  'draw-visitor-numbers',
  `select nextval('visitor_numbers')::int as "visitorNo" from generate_series(1, :count::int)`,
)
