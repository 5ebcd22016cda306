-- One row: counts of the raw hits of site :siteNo, and the values that were derived from the hits when they were stored.
with hits as (
  select
    count(*) as hits,
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
    coalesce(sum(pageviews), 0)::bigint as pageviews,
    count(*) filter (where pageviews = 1) as bounces,
    coalesce(sum(duration_ms), 0)::bigint as duration_ms,
    count(*) filter (where duration_ms <> round(extract(epoch from last_at - first_at) * 1000)) as wrong_durations
  from sessions
  where site_no = :siteNo
),
people as (
  select count(*) as visitors, coalesce(sum(session_count), 0)::bigint as sessions
  from visitors
  where site_no = :siteNo
)
select
  hits.hits,
  hits.pageviews,
  hits.custom_events as "customEvents",
  hits.visitors,
  hits.visitor_nos as "visitorNos",
  hits.session_nos as "sessionNos",
  hits.error_ids as "errorIds",
  hits.first_at as "firstAt",
  visits.sessions,
  visits.pageviews as "sessionPageviews",
  visits.bounces,
  visits.duration_ms as "durationMs",
  visits.wrong_durations as "wrongDurations",
  people.visitors as "visitorRows",
  people.sessions as "visitorSessions",
  (select count(*) from error_groups where site_no = :siteNo) as "errorGroups",
  (select first_event_at from sites where site_no = :siteNo) as "firstEventAt",
  (select count(*) from dirty_buckets where site_no = :siteNo) as "dirtyBuckets",
  (select count(*) from dead_letters where site_no = :siteNo) as "deadLetters"
from hits, visits, people
