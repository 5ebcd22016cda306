-- Counts that rank-filtered-titles.sql ranks, for one row slice: every title. Callers add up all columns, except `lastAt`: they
-- take the latest.
-- Groups by title and session first: engagement counts only in a session that saw the title.
select
  title,
  sum(seen.pageviews)::bigint as pageviews,
  max(last_at) as "lastAt",
  count(*) filter (where is_seen) as sessions,
  count(*) filter (where is_seen and is_bounce) as bounces,
  coalesce(sum(engaged_ms) filter (where is_seen), 0)::float8 as "engagedMs",
  count(*) filter (where is_seen and is_engaged) as "engagedSessions"
from (
  select
    title,
    session_no,
    count(*) filter (where type = 'pageview' and is_kept) as pageviews,
    max(at) filter (where is_kept) as last_at,
    bool_or(is_seen) as is_seen,
    bool_or(is_engaged) as is_engaged,
    sum(engaged_ms) filter (where is_engaged) as engaged_ms
  from matching_rows
  where title <> '' and not is_service
  group by title, session_no
) as seen
left join (select session_no, true as is_bounce from filtered_sessions where pageviews = 1) as single using (session_no)
group by title
