-- Number of hits of a site since :start, and the time range that contains the page of at most `limit` hits after the newest
-- `offset`: [start, end), where the page begins after the `skipped` newest hits. Nulls where there are none.
with {log_quarters},
passed as (
  select bucket, hits, sum(hits) over (order by bucket desc) as until
  from by_bucket
  where hits > 0
)
select
  coalesce(sum(hits), 0)::bigint as total,
  min(bucket) filter (where until > :offset::bigint and until - hits < :offset::bigint + :limit::bigint) as start,
  max(bucket) filter (where until > :offset::bigint) + interval '15 minutes' as end,
  (:offset::bigint - min(until - hits) filter (where until > :offset::bigint))::bigint as skipped
from passed
