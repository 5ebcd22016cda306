-- Marks the buckets ($2 site_no, $3 any time inside) of aggregate $1 that lie below its horizon: what is materialised
-- of them may be stale. The share lock makes a horizon that is being moved wait for this transaction.
-- In key order, so that two writers never wait for each other.
with edge as materialized (
  select horizon from horizons where aggregate = $1::text for share
),
touched as (
  select distinct site_no, time_bucket(interval '15 minutes', at) as bucket
  from unnest($2::int[], $3::timestamptz[]) as given (site_no, at)
)
insert into dirty_buckets (aggregate, site_no, bucket)
select $1::text, touched.site_no, touched.bucket
from touched, edge
where touched.bucket < edge.horizon
order by touched.site_no, touched.bucket
on conflict (aggregate, site_no, bucket) do update set version = nextval('dirty_versions')
