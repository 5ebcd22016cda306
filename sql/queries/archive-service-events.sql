-- Events that the service wrote, after the one at :key. Those before details_from are on their way out.
select
  array[at::text, id::text] as key,
  json_build_object(
    'id', events.id,
    'at', events.at,
    'name', name,
    'props', props,
    'revenue_minor', revenue_minor,
    'revenue_currency', revenue_currency,
    'attributed_visitor_id', (select visitors.id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = events.visitor_no),
    'attributed_session_at', session_at
  )::text as line
from events
where site_no = :siteNo::int and is_service
  and at >= coalesce((select details_from from sites where sites.site_no = :siteNo::int), '-infinity')
  and (events.at, events.id) > (
    coalesce(nullif((:key::text[])[1], ''), '-infinity')::timestamptz,
    coalesce(nullif((:key::text[])[2], ''), '00000000-0000-0000-0000-000000000000')::uuid
  )
order by events.at, events.id
limit :limit::int
