-- Sessions that saw each title, by the bucket in which they started; buckets as in count-kept-hits.sql, gathered as in
-- rank-kept-titles.sql.
select title, bucket, (select count(distinct session_no) from unnest(seen_by) as session_no) as sessions
from (
  select
    title,
    width_bucket(session_at, (select bounds from asked)) - 1 as bucket,
    array_agg(session_no) as seen_by
  from seen_hits
  group by 1, 2
) as seen
