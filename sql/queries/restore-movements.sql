-- Movements of MRR; their visitors and sessions as `restore-ledger` does.
insert into mrr_movements
select given.*
from jsonb_array_elements(:rows::text::jsonb) as line
left join visitors as visitor
  on visitor.site_no = :siteNo::int and visitor.id = (line ->> 'attributed_visitor_id')::uuid
left join lateral (
  select session_no, started_at
  from sessions
  where
    sessions.site_no = :siteNo::int and sessions.visitor_no = visitor.visitor_no
    and sessions.started_at = (line ->> 'attributed_session_at')::timestamptz
  limit 1
) as session on true
cross join lateral jsonb_populate_record(
  null::mrr_movements,
  line || jsonb_build_object(
    'site_no', :siteNo::int, 'visitor_no', visitor.visitor_no, 'session_no', session.session_no,
    'session_at', session.started_at
  )
) as given
order by given.at, given.id
on conflict (site_no, at, id) do nothing
