-- A page of the filtered sessions, the newest first, with visitor, user and revenue in `currency`.
select
  session.session_no as "sessionNo",
  session.started_at as "startedAt",
  session.first_at as "firstAt",
  session.last_at as "lastAt",
  session.duration_ms as "durationMs",
  session.pageviews,
  session.events,
  session.visit_count as "visitCount",
  {session_attribute_fields},
  session.exit_path as "exitPath",
  visitors.id as "visitorId",
  session.user_id as "userId",
  identities.name as "userName",
  identities.avatar as "userAvatar",
  exists (
    select from session_replays
    where session_replays.site_no = :siteNo::int and session_replays.session_no = session.session_no
  ) as "hasReplay",
  paid.revenue
from (
  select *
  from filtered_sessions
  order by started_at desc, session_no desc
  limit (select "limit" from params)
  offset (select "offset" from params)
) as session
-- One lookup for each session of the page: a join would read all visitors of the site.
left join lateral (
  select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = session.visitor_no limit 1
) as visitors on true
left join lateral (
  select name, avatar
  from identities
  where identities.site_no = :siteNo::int and identities.identifier = session.user_id
  limit 1
) as identities on true
cross join lateral (
  select coalesce(sum(amount_minor - refunded_minor), 0)::text as revenue
  from revenue
  where revenue.session_no = session.session_no and revenue.site_no = :siteNo::int
    and revenue.currency = (select currency from params)
) as paid
order by session.started_at desc, session.session_no desc
