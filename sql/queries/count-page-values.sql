-- Counts of `break-down-hits` with the engagement, for one slice: every path or title, with its visitors instead of their number.
-- Groups by value and session first: engagement counts only in a session that saw the value.
select
  value,
  sum(seen.pageviews)::bigint as pageviews,
  array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors,
  count(*) filter (where saw_it) as sessions,
  count(*) filter (where saw_it and started.pageviews = 1) as bounces,
  coalesce(sum(duration_ms) filter (where saw_it), 0)::float8 as "durationMs",
  coalesce(sum(engaged_ms) filter (where saw_it), 0)::float8 as "engagedMs",
  count(*) filter (where saw_it and is_engaged) as "engagedSessions",
  coalesce(sum(scroll) filter (where saw_it), 0)::bigint as "scrollSum",
  count(scroll) filter (where saw_it) as "scrolledSessions"
from (
  select
    value,
    session_no,
    -- Of a session with a hit in the range: all its hits have the same visitor.
    max(visitor_no) filter (where in_filtered_hits) as visitor_no,
    count(*) filter (where type = 'pageview' and in_filtered_hits) as pageviews,
    bool_or(in_session_hits) as saw_it,
    bool_or(in_engagements) as is_engaged,
    sum(engaged_ms) filter (where in_engagements) as engaged_ms,
    max(scroll) filter (where in_engagements) as scroll
  from matching_rows
  where not is_service
  group by value, session_no
) as seen
left join (select session_no, pageviews, duration_ms from filtered_sessions) as started using (session_no)
group by value
