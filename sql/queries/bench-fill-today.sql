-- Sessions of site :siteNo that start evenly over [:start, :end), :perSecond each second, with their hits until :until; each of a visitor of
-- its own. Four of ten have one pageview; the others have up to twelve hits, half a minute apart: 4.2 hits on average.
-- :from: the number of the first session and visitor.
with
visit as materialized (
  select
    :from::int + no as no,
    :start::timestamptz + no * interval '1 second' / :perSecond::float8 as started_at,
    case when random() < 0.4 then 1 else 2 + floor(9.7 * random())::int end as hits,
    15 + floor(30 * random())::int as pause,
    (array['DE', 'FR', 'US', 'GB', 'IN', 'BR', 'JP', 'ES', 'IT', 'PL'])[1 + floor(10 * random() * random())::int] as country,
    (array['', 'Google', 'Bing', 'GitHub', 'Reddit', 'X', 'Newsletter', 'Hacker News'])[1 + floor(8 * random())::int] as source,
    (array['Chrome', 'Safari', 'Firefox', 'Edge'])[1 + floor(4 * random() * random())::int] as browser,
    (array['Windows', 'macOS', 'iOS', 'Android', 'Linux'])[1 + floor(5 * random())::int] as os,
    (array['desktop', 'mobile', 'tablet'])[1 + floor(3 * random() * random())::int] as size
  from generate_series(0, floor(extract(epoch from :end::timestamptz - :start::timestamptz) * :perSecond::float8)::int - 1) as visit (no)
),
hit as materialized (
  select
    no, started_at, started_at + position * pause * interval '1 second' as at, country, source, browser, os, size,
    floor(2000 * power(random(), 4))::int as page,
    case
      when position = 0 then 'pageview'
      when random() < 0.85 then 'pageview'
      when random() < 0.9 then 'event'
      else 'error'
    end as type
  from visit
  cross join lateral generate_series(0, hits - 1) as step (position)
  where started_at + position * pause * interval '1 second' < :until::timestamptz
),
visitor as (
  insert into visitors (visitor_no, site_no, id, first_seen_at, session_count, newest_session_at)
  select no, :siteNo::int, gen_random_uuid(), started_at, 1, started_at from visit
),
session as (
  insert into sessions (
    site_no, started_at, session_no, visitor_no, first_at, last_at, duration_ms, pageviews, events, visit_count, user_id,
    hostname, entry_path, exit_path, exit_at, source, country, browser, os, size
  )
  select
    :siteNo::int, started_at, no, no, started_at, max(at), (extract(epoch from max(at) - started_at) * 1000)::bigint,
    count(*) filter (where type = 'pageview'), count(*) filter (where type <> 'pageview'), 1, '',
    'busy.example', '/page-' || (array_agg(page order by at))[1], '/page-' || (array_agg(page order by at desc) filter (where type = 'pageview'))[1],
    max(at) filter (where type = 'pageview'), source, country, browser, os, size
  from hit
  group by no, started_at, source, country, browser, os, size
),
error_group as (
  insert into error_groups (site_no, error_id, message, name)
  select :siteNo::int, md5(:siteNo || '/' || kind)::uuid, 'Error ' || kind, 'Error' from generate_series(0, 39) as kind
  on conflict do nothing
)
insert into events (
  site_no, at, id, type, name, visitor_no, session_no, session_at, hostname, path, url, title, entry_path, source, country, browser, os,
  size, error_id, error_message
)
select
  :siteNo::int, at, gen_random_uuid(), type, case type when 'event' then 'signup' when 'error' then 'Error' else '' end, no, no, started_at,
  'busy.example', '/page-' || page, '', 'Page ' || page, '/page-' || first_value(page) over (partition by no order by at), source, country,
  browser, os, size,
  case when type = 'error' then md5(:siteNo || '/' || page % 40)::uuid end,
  case when type = 'error' then 'Error ' || page % 40 end
from hit
