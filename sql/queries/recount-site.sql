-- Pairs of numbers of site :siteNo that must be equal: what was derived from the hits when they were stored, and what the raw hits
-- say. stored is null for fields of the overview of all its days.
with hits as (
  select
    -- What payments and subscriptions write is no hit.
    count(*) filter (where not is_service) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as custom_events,
    count(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service) as visitors,
    count(distinct visitor_no) as visitor_nos,
    count(distinct session_no) as session_nos,
    count(distinct error_id) as error_ids,
    min(at) filter (where type not in ('engagement', 'identify')) as first_at
  from events
  where site_no = :siteNo
),
visits as (
  select
    count(*) as sessions,
    coalesce(sum(pageviews), 0) as pageviews,
    count(*) filter (where pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0) as duration_ms,
    count(*) filter (where duration_ms <> round(extract(epoch from last_at - first_at) * 1000)) as wrong_durations
  from sessions
  where site_no = :siteNo
),
people as (
  select count(*) as visitors, coalesce(sum(session_count), 0) as sessions
  from visitors
  where site_no = :siteNo
)
select what, stored::float8 as stored, recounted::float8 as recounted
from hits, visits, people, lateral (
  values
    ('hits', hits.hits + (select count(*) from web_vitals where site_no = :siteNo), :expected::bigint),
    ('sessions', visits.sessions, session_nos),
    ('pageviews of sessions', visits.pageviews, hits.pageviews),
    ('sessions whose duration is not last - first', wrong_durations, 0),
    ('visitors', people.visitors, visitor_nos),
    ('sessions of visitors', people.sessions, visits.sessions),
    ('error groups', (select count(*) from error_groups where site_no = :siteNo), error_ids),
    (
      'first event', (select extract(epoch from first_event_at) from sites where site_no = :siteNo),
      extract(epoch from first_at)
    ),
    ('buckets that are not rolled up', (select count(*) from dirty_buckets where site_no = :siteNo), 0),
    ('dead letters', (select count(*) from dead_letters where site_no = :siteNo), 0),
    ('pageviews', null, hits.pageviews),
    ('visitors', null, hits.visitors),
    ('sessions', null, visits.sessions),
    ('custom_events', null, custom_events),
    ('bounce_rate', null, round(100.0 * bounces / visits.sessions, 2)),
    ('avg_session_seconds', null, round(duration_ms / visits.sessions / 1000.0, 2))
) as pair (what, stored, recounted)
