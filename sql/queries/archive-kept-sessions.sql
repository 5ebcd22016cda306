-- Sessions before details_from that money is attributed to, after the one at :key: no hit of the archive restores them. Those whose row is
-- gone have what is left of them: the values that a service event copied.
-- is_stored: whether its row is still there. is_kept: whether reads of money still know its values.
with params as (
  select details_from from sites where site_no = :siteNo::int
),
attributed as (
  select visitor_no, session_at, session_no, null::jsonb as copied
  from revenue
  where site_no = :siteNo::int and session_at < (select details_from from params)
  union all
  select visitor_no, session_at, session_no, null
  from mrr_movements
  where site_no = :siteNo::int and session_at < (select details_from from params)
  union all
  select visitor_no, session_at, session_no, (select to_jsonb(own) from (select {copied_columns}) as own)
  from events
  where
    site_no = :siteNo::int and is_service and at >= (select details_from from params)
    and session_at < (select details_from from params)
  union all
  select first_visitor_no, first_visit_at, first_session_no, null
  from customers
  where site_no = :siteNo::int and first_visit_at < (select details_from from params)
),
page as (
  select
    session_at, session_no, min(visitor_no) as visitor_no,
    (array_agg(copied) filter (where copied is not null))[1] as copied
  from attributed
  where
    (session_at, session_no) > (
      coalesce(nullif((:key::text[])[1], ''), '-infinity')::timestamptz,
      coalesce(nullif((:key::text[])[2], ''), '0')::bigint
    )
  group by session_at, session_no
  order by session_at, session_no
  limit :limit::int
)
select
  array[page.session_at::text, page.session_no::text] as key,
  jsonb_build_object(
    'visitor_id', visitors.id,
    'started_at', page.session_at,
    'is_stored', stored.session is not null,
    'is_kept', money_sessions.session_no is not null,
    'session', coalesce(stored.session, money_sessions.session, page.copied)
  )::text as line
from page
left join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = page.visitor_no
left join money_sessions
  on money_sessions.site_no = :siteNo::int and money_sessions.session_no = page.session_no
left join lateral (
  select to_jsonb(sessions) - array['site_no', 'session_no', 'visitor_no'] as session
  from sessions
  where
    sessions.site_no = :siteNo::int and sessions.started_at = page.session_at
    and sessions.session_no = page.session_no
) as stored on true
order by page.session_at, page.session_no
