-- Inserts sessions that hits opened; one array for each column.
insert into sessions (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
  visitor_no, visit_count, {session_attributes}, duration_ms
)
select
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
  visitor_no, visit_count, {session_attributes}, (extract(epoch from last_at - first_at) * 1000)::bigint
from unnest(
  :siteNo::int[], :startedAt::timestamptz[], :sessionNo::bigint[], :firstAt::timestamptz[], :lastAt::timestamptz[],
  :pageviews::int[], :events::int[], :exitPath::text[], :exitAt::timestamptz[], :userId::text[], :userSince::timestamptz[],
  :visitorNo::int[], :visitCount::int[],
  {session_attribute_arrays}
) as opened (
  site_no, started_at, session_no, first_at, last_at, pageviews, events, exit_path, exit_at, user_id, user_since,
  visitor_no, visit_count, {session_attributes}
)
