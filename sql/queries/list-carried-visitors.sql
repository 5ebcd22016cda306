-- Visitors with a hit in [start, end) whose session did not start there, with the start of the newest such session, the newest first.
-- Hits lie at most a day from the start of their session.
select visitor_no as "visitorNo", max(session_at) as "startedAt"
from (
  select visitor_no, session_at
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :firstDayEnd::timestamptz
    and session_at < :start::timestamptz
    and type not in ('engagement', 'identify') and not is_service
  union all
  select visitor_no, session_at
  from events
  where site_no = :siteNo::int and at >= :lastDayStart::timestamptz and at < :end::timestamptz
    and session_at >= :end::timestamptz
    and type not in ('engagement', 'identify') and not is_service
) as carried
where visitor_no is not null
group by visitor_no
order by max(session_at) desc, visitor_no desc
