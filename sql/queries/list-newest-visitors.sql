-- Visitors of the sessions of a site that started in [start, end), in order of the newest first, once a session. The bytes of two
-- arrays: the numbers, and the starts in milliseconds.
select
  array_send(array_agg(visitor_no order by started_at desc, visitor_no desc)) as visitors,
  array_send(
    array_agg((extract(epoch from started_at) * 1000)::bigint order by started_at desc, visitor_no desc)
  ) as starts
from sessions
where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
