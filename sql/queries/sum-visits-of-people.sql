-- Filtered sessions by person (`person`: visitor number or user id, by `kind`), with the revenue and MRR attributed to them in
-- `currency`, as text.
select
  visit.person,
  visit.sessions,
  visit.pageviews,
  visit.events,
  visit.first_at as "firstAt",
  visit.last_at as "lastAt",
  paid.revenue,
  moved.mrr
from (
  select
    case when (select kind from params) = 'users' then user_id else visitor_no::text end as person,
    count(*) as sessions,
    sum(pageviews)::bigint as pageviews,
    sum(events)::bigint as events,
    min(started_at) as first_at,
    max(started_at) as last_at,
    array_agg(session_no) as session_nos
  from filtered_sessions
  group by 1
) as visit
cross join lateral (
  select coalesce(sum(amount_minor - refunded_minor), 0)::text as revenue
  from revenue
  where session_no = any(visit.session_nos) and site_no = :siteNo::int
    and currency = (select currency from params)
) as paid
cross join lateral (
  select coalesce(sum(amount_minor), 0)::text as mrr
  from mrr_movements
  where session_no = any(visit.session_nos) and site_no = :siteNo::int
    and currency = (select currency from params)
) as moved
