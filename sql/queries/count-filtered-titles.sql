-- Number of sessions that saw each title, by the bucket in which they started; buckets as in count-filtered-hits.sql, distinct
-- sessions as in rank-filtered-titles.sql.
select title, bucket, (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
from (
  select
    title,
    width_bucket(session_at, (select bounds from asked)) - 1 as bucket,
    array_agg(session_no) as seen_by
  from session_hits
  group by 1, 2
) as seen
