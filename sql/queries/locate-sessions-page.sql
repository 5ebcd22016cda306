-- Number of sessions of a site that started in [start, end), and the time range that contains the page of at most `limit` after the
-- newest `offset`; columns as in locate-log-page.sql.
with {session_quarters},
passed as (
  select bucket, sessions, sum(sessions) over (order by bucket desc) as until
  from counted
  where sessions > 0
)
select
  coalesce(sum(sessions), 0)::bigint as total,
  min(bucket) filter (where until > :offset::bigint and until - sessions < :offset::bigint + :limit::bigint) as start,
  max(bucket) filter (where until > :offset::bigint) + interval '15 minutes' as end,
  (:offset::bigint - min(until - sessions) filter (where until > :offset::bigint))::bigint as skipped
from passed
