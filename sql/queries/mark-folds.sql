-- Marks the buckets ($1 site_no, $2 any time inside) of days whose folds may hold what was changed: that which lies, by
-- $3, before the horizon. As mark-dirty.sql in everything else.
with edge as materialized (
  select horizon from horizons where aggregate = 'folds' for share
),
touched as (
  select distinct site_no, time_bucket(interval '15 minutes', at) as bucket
  from unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) as given (site_no, at, changed_at), edge
  where changed_at < horizon
)
insert into dirty_buckets (aggregate, site_no, bucket)
select 'folds', site_no, bucket
from touched
order by site_no, bucket
on conflict (aggregate, site_no, bucket) do update set version = nextval('dirty_versions')
