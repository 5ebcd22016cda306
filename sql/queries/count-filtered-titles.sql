-- Counts that rank-filtered-titles.sql ranks, for one slice: every title. Callers add up all columns, except `lastAt`: they take
-- the latest.
-- Groups by title and session first: engagement counts only in a session that saw the title.
select
  title as value,
  sum(seen.pageviews)::bigint as pageviews,
  coalesce((extract(epoch from max(last_at)) * 1000)::bigint, 0) as "lastAt",
  count(*) filter (where saw_it) as sessions,
  count(*) filter (where saw_it and is_bounce) as bounces,
  coalesce(sum(engaged_ms) filter (where saw_it), 0)::float8 as "engagedMs",
  count(*) filter (where saw_it and is_engaged) as "engagedSessions"
from (
  select
    title,
    session_no,
    count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
    max(at) filter (where in_filtered_hits) as last_at,
    bool_or(in_session_hits) as saw_it,
    bool_or(in_engagements) as is_engaged,
    sum(engaged_ms) filter (where in_engagements) as engaged_ms
  from matching_rows
  where title <> '' and not is_service
  group by title, session_no
) as seen
left join (select session_no, true as is_bounce from filtered_sessions where pageviews = 1) as bounced using (session_no)
group by title
