-- Adds to the counts of the sessions of sites (:siteNos) that started in :buckets, from the time on that is counted.
insert into session_counts (site_no, bucket, partition, sessions, bounces, duration_ms)
select site_no, bucket, :partition::smallint, sessions, bounces, duration_ms
from unnest(
  :siteNos::int[], :buckets::timestamptz[], :sessions::bigint[], :bounces::bigint[], :durations::bigint[]
) as change (site_no, bucket, sessions, bounces, duration_ms)
where bucket >= (select counted_from from session_count_span)
order by site_no, bucket
on conflict (site_no, bucket, partition) do update
set
  sessions = session_counts.sessions + excluded.sessions,
  bounces = session_counts.bounces + excluded.bounces,
  duration_ms = session_counts.duration_ms + excluded.duration_ms
