-- Sessions that a row slice counts: started in [:start, :end), with their last hit in [:closedFrom, :closedTo); :closedFrom null:
-- any time before :closedTo. Sessions that began since :closedFrom are read in one scan: a busy site has hundreds of thousands, and looking
-- up each takes 100 µs.
select
  session_no, visitor_no, started_at, first_at, last_at, pageviews, events, duration_ms, {rolled_up_start_columns}
from sessions
where :closedFrom::timestamptz is null
  and site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
  and last_at < :closedTo::timestamptz
union all
select
  session_no, visitor_no, started_at, first_at, last_at, pageviews, events, duration_ms, {rolled_up_start_columns}
from sessions
where site_no = :siteNo::int
  and started_at >= greatest(:start::timestamptz, :closedFrom::timestamptz) and started_at < :end::timestamptz
  and last_at >= :closedFrom::timestamptz and last_at < :closedTo::timestamptz
union all
select
  session.session_no, visitor_no, started_at, first_at, last_at, pageviews, events, duration_ms, {rolled_up_start_columns}
from (
  select distinct session_at, session_no
  from events
  where site_no = :siteNo::int and at >= :closedFrom::timestamptz and at < :closedTo::timestamptz
    and session_at >= :start::timestamptz and session_at < least(:end::timestamptz, :closedFrom::timestamptz)
) as touched
cross join lateral (
  -- One lookup in the unique index for each session: the plan of a join would depend on estimates.
  select *
  from sessions
  where site_no = :siteNo::int and started_at = touched.session_at and session_no = touched.session_no
  limit 1
) as session
where last_at >= :closedFrom::timestamptz and last_at < :closedTo::timestamptz
