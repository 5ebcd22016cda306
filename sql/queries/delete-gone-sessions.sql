-- Deletes rows of sessions that the exporting database had deleted, and their rows for reads of money where it had deleted these, too.
with given as (
  select sessions.started_at, sessions.session_no, line.is_stored, line.is_kept
  from jsonb_to_recordset(:rows::text::jsonb) as line (
    visitor_id uuid, started_at timestamptz, is_stored boolean, is_kept boolean
  )
  join visitors on visitors.site_no = :siteNo::int and visitors.id = line.visitor_id
  join sessions
    on sessions.site_no = :siteNo::int and sessions.visitor_no = visitors.visitor_no
      and sessions.started_at = line.started_at
),
gone_values as (
  delete from money_sessions
  using given
  where money_sessions.site_no = :siteNo::int and money_sessions.session_no = given.session_no and not given.is_kept
)
delete from sessions
using given
where
  sessions.site_no = :siteNo::int and sessions.started_at = given.started_at
  and sessions.session_no = given.session_no and not given.is_stored
returning sessions.started_at as at
