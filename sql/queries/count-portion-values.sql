-- What a portion of a site's rows counts for each value of the dimensions $8: rows to be added up, several a value.
-- $1 site. By time: hits of [$4, $5). By start: sessions that began in [$2, $3) and whose last hit lies in [$6, $7), and
-- everything they saw; $6 null for any time before $7.
-- A dimension is one of hits or of sessions, `error`, `property/{type}/{name}` or, for all of these, `property`.
with
chosen as materialized (
  select session_no, first_at, last_at, pageviews, entry_path, referrer, channel, source, utm_source, utm_medium,
    utm_campaign, utm_content, utm_term, browser, os, size, country, region, city
  from sessions
  where $6::timestamptz is null
    and site_no = $1::int and started_at >= $2::timestamptz and started_at < $3::timestamptz
    and last_at < $7::timestamptz
  union all
  select session.session_no, first_at, last_at, pageviews, entry_path, referrer, channel, source, utm_source, utm_medium,
    utm_campaign, utm_content, utm_term, browser, os, size, country, region, city
  from (
    select distinct session_at, session_no
    from events
    where site_no = $1::int and at >= $6::timestamptz and at < $7::timestamptz
      and session_at >= $2::timestamptz and session_at < $3::timestamptz
  ) as touched
  cross join lateral (
    -- By the unique index, session by session: a join of them all would have its plan chosen by estimates.
    select *
    from sessions
    where site_no = $1::int and started_at = touched.session_at and session_no = touched.session_no
    limit 1
  ) as session
  where last_at >= $6::timestamptz and last_at < $7::timestamptz
),
extent as materialized (select min(first_at) as first_at, max(last_at) as last_at from chosen),
pair as materialized (
  select distinct
    asked.dimension,
    case asked.dimension
      when 'path' then path
      when 'title' then title
      when 'hostname' then hostname
      when 'event_name' then name
      when 'error' then case when type = 'error' then error_id::text end
    end as value,
    session_no
  from events
  cross join unnest($8::text[]) as asked (dimension)
  where $8::text[] && '{path,title,hostname,event_name,error}'
    and asked.dimension = any('{path,title,hostname,event_name,error}')
    and site_no = $1::int
    and at >= (select first_at from extent) and at <= (select last_at from extent)
    and session_at >= $2::timestamptz and session_at < $3::timestamptz
    and type not in ('engagement', 'identify') and not is_service
    and session_no in (select session_no from chosen)
)
select
  dimension,
  value,
  sum(hits)::bigint as hits,
  sum(pageviews)::bigint as pageviews,
  array_send(array_agg(visitor_no)) as visitors,
  0::bigint as sessions,
  0::bigint as bounces,
  0::float8 as "engagedMs",
  0::bigint as "engagedSessions",
  coalesce((extract(epoch from max(last_at)) * 1000)::bigint, 0) as "lastAt"
from (
  select
    dimension,
    value,
    visitor_no,
    count(*) as hits,
    count(*) filter (where type = 'pageview') as pageviews,
    max(at) filter (where dimension = 'title') as last_at
  from (
    select
      asked.dimension,
      case asked.dimension
        when 'path' then path
        when 'title' then title
        when 'hostname' then hostname
        when 'event_name' then name
        when 'error' then case when type = 'error' then error_id::text end
        when 'entry_path' then entry_path
        when 'referrer' then referrer
        when 'channel' then channel
        when 'source' then source
        when 'utm_source' then utm_source
        when 'utm_medium' then utm_medium
        when 'utm_campaign' then utm_campaign
        when 'utm_content' then utm_content
        when 'utm_term' then utm_term
        when 'browser' then browser
        when 'os' then os
        when 'size' then size
        when 'country' then country
        when 'region' then region
        when 'city' then city
      end as value,
      visitor_no,
      type,
      at
    from events
    cross join unnest($8::text[]) as asked (dimension)
    where site_no = $1::int and at >= $4::timestamptz and at < $5::timestamptz
      and type not in ('engagement', 'identify') and not is_service
  ) as hit
  where value is not null
  group by 1, 2, 3
) as acted
group by 1, 2
union all
select
  dimension,
  jsonb_build_array(key, value)::text,
  sum(hits)::bigint,
  0,
  array_send(array_agg(visitor_no)),
  0, 0, 0, 0, 0
from (
  select
    'property/' || type || '/' || name as dimension,
    property.key,
    property.value,
    visitor_no,
    count(*) as hits
  from events
  cross join lateral jsonb_each_text(props) as property
  where (select bool_or(dimension like 'property%') from unnest($8::text[]) as asked (dimension))
    and site_no = $1::int and at >= $4::timestamptz and at < $5::timestamptz
    and type not in ('pageview', 'engagement', 'identify') and not is_service
    and ('property' = any($8::text[]) or 'property/' || type || '/' || name = any($8::text[]))
  group by 1, 2, 3, 4
) as carried
group by dimension, key, value
union all
select dimension, value, 0, 0, null, count(*), count(*) filter (where pageviews = 1), 0, 0, 0
from (
  select
    asked.dimension,
    case asked.dimension
      when 'entry_path' then entry_path
      when 'referrer' then referrer
      when 'channel' then channel
      when 'source' then source
      when 'utm_source' then utm_source
      when 'utm_medium' then utm_medium
      when 'utm_campaign' then utm_campaign
      when 'utm_content' then utm_content
      when 'utm_term' then utm_term
      when 'browser' then browser
      when 'os' then os
      when 'size' then size
      when 'country' then country
      when 'region' then region
      when 'city' then city
    end as value,
    pageviews
  from chosen
  cross join unnest($8::text[]) as asked (dimension)
) as started
where value is not null
group by 1, 2
union all
select dimension, value, 0, 0, null, count(*), count(*) filter (where chosen.pageviews = 1), 0, 0, 0
from pair
join chosen using (session_no)
where value is not null
group by 1, 2
union all
select 'title', pair.value, 0, 0, null, 0, 0, sum(engaged_ms)::float8, count(*), 0
from (
  select title, session_no, sum(engaged_ms) as engaged_ms
  from events
  where 'title' = any($8::text[])
    and site_no = $1::int
    and at >= (select first_at from extent) and at <= (select last_at from extent)
    and session_at >= $2::timestamptz and session_at < $3::timestamptz
    and type = 'engagement'
    and session_no in (select session_no from chosen)
  group by 1, 2
) as engaged
join pair on pair.dimension = 'title' and pair.value = engaged.title and pair.session_no = engaged.session_no
group by 2
