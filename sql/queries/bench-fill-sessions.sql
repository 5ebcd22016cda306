-- Sessions of one pageview each, spread evenly over the sites :firstSite to :lastSite and over [:start, :end); each of a visitor of its own.
-- :from, :to: numbers of the sessions.
with
visit as materialized (
  select
    no,
    :firstSite::int + no % (:lastSite::int - :firstSite::int + 1) as site_no,
    :start::timestamptz + (:end::timestamptz - :start::timestamptz) * (no::float8 / :to::float8) as at
  from generate_series(:from::int, :to::int - 1) as visit (no)
),
visitor as (
  insert into visitors (visitor_no, site_no, id, first_seen_at, session_count)
  select no, site_no, gen_random_uuid(), at, 1 from visit
),
session as (
  insert into sessions (
    site_no, started_at, session_no, visitor_no, first_at, last_at, duration_ms, pageviews, events, visit_count, user_id,
    entry_path, exit_path, country, browser
  )
  select
    site_no, at, no, no, at, at, 0, 1, 0, 1, '', '/' || no % 50, '/' || no % 50, (array['DE', 'FR', 'US'])[no % 3 + 1], 'Chrome'
  from visit
)
insert into events (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, title, entry_path, country, browser
)
select
  site_no, at, gen_random_uuid(), 'pageview', '', no, no, at, 'bench.example', '/' || no % 50, '/' || no % 50, 'Title ' || no % 50,
  '/' || no % 50, (array['DE', 'FR', 'US'])[no % 3 + 1], 'Chrome'
from visit
