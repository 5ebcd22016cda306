-- First visits of customers. The session has the number that it has got here; its own row may have been gone for long.
update customers
set
  first_visitor_no = visitors.visitor_no,
  first_session_no = (
    select session_no
    from sessions
    where
      sessions.site_no = :siteNo::int and sessions.visitor_no = visitors.visitor_no
      and sessions.started_at = given.first_visit_at
    limit 1
  ),
  first_visit_at = given.first_visit_at,
  channel = given.channel,
  source = given.source,
  referrer = given.referrer,
  utm_source = given.utm_source,
  utm_medium = given.utm_medium,
  utm_campaign = given.utm_campaign,
  utm_content = given.utm_content,
  utm_term = given.utm_term,
  country = given.country,
  entry_path = given.entry_path
from jsonb_array_elements(:rows::text::jsonb) as line
cross join lateral jsonb_populate_record(null::customers, line) as given
left join visitors on visitors.site_no = :siteNo::int and visitors.id = (line ->> 'visitor_id')::uuid
where
  customers.site_no = :siteNo::int and customers.customer = given.customer and customers.currency = given.currency
