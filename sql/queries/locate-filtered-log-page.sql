-- Number of hits of `types`, and the time range that contains the page of them; columns as in locate-log-page.sql.
with counted as (
  select time_bucket(interval '15 minutes', at) as bucket, count(*) as hits
  from filtered_hits
  where type = any((select types from params)::text[])
  group by 1
),
passed as (
  select bucket, hits, sum(hits) over (order by bucket desc) as until
  from counted
)
select
  coalesce(sum(hits), 0)::bigint as total,
  min(bucket) filter (where until > params."offset" and until - hits < params."offset" + params."limit") as start,
  max(bucket) filter (where until > params."offset") + interval '15 minutes' as end,
  (params."offset" - min(until - hits) filter (where until > params."offset"))::bigint as skipped
from params
left join passed on true
group by params."offset"
