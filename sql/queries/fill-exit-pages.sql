-- Sets the exit page of sessions that started in [:start, :end) and have none although they have pageviews: the last pageview by
-- time and id. Returns the changed sessions.
with extent as materialized (
  select min(first_at) as first_at, max(last_at) as last_at
  from sessions
  where started_at >= :start::timestamptz and started_at < :end::timestamptz and exit_at is null and pageviews > 0
),
last_page as materialized (
  select distinct on (session_no) site_no, session_at, session_no, path, at
  from events
  where type = 'pageview'
    and at >= (select first_at from extent) and at <= (select last_at from extent)
    and session_at >= :start::timestamptz and session_at < :end::timestamptz
  order by session_no, at desc, id desc
)
update sessions
set exit_path = last_page.path, exit_at = last_page.at
from last_page
where sessions.started_at >= :start::timestamptz and sessions.started_at < :end::timestamptz
  and sessions.exit_at is null and sessions.pageviews > 0
  and sessions.site_no = last_page.site_no
  and sessions.started_at = last_page.session_at
  and sessions.session_no = last_page.session_no
returning sessions.site_no as "siteNo", sessions.started_at as "startedAt", sessions.last_at as "lastAt"
