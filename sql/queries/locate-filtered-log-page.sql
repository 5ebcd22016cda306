-- Number of hits of `asked.types`, and the time range that contains the page of them; columns as in locate-log-page.sql.
with counted as (
  select time_bucket(interval '15 minutes', at) as bucket, count(*) as hits
  from filtered_hits
  where type = any((select types from asked)::text[])
  group by 1
),
passed as (
  select bucket, hits, sum(hits) over (order by bucket desc) as until
  from counted
)
select
  coalesce(sum(hits), 0)::bigint as total,
  min(bucket) filter (where until > asked."offset" and until - hits < asked."offset" + asked."limit") as start,
  max(bucket) filter (where until > asked."offset") + interval '15 minutes' as end,
  (asked."offset" - min(until - hits) filter (where until > asked."offset"))::bigint as skipped
from asked
left join passed on true
group by asked."offset"
