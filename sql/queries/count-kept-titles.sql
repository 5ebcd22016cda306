-- Sessions that saw each title, by the bucket in which they started; buckets as in count-kept-hits.sql.
select title, width_bucket(session_at, (select bounds from asked)) - 1 as bucket, count(*) as sessions
from (
  select title, session_no, session_at
  from seen_hits
  group by 1, 2, 3
) as seen
group by 1, 2
