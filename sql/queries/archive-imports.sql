-- Imports after the one at :key. One that has stored hits and has not ended is as if it had been stopped: it can be undone.
select
  array[imports.id::text] as key,
  (
    to_jsonb(imports) - array['site_no', 'created_by', 'progress', 'claimed_by', 'claimed_until']
    || jsonb_build_object(
      'state', case when state in ('done', 'canceled', 'expired', 'undone') then state else 'canceled' end,
      'created_by_email', (select email from users where users.id = imports.created_by)
    )
  )::text as line
from imports
where
  site_no = :siteNo::int and (has_written or state in ('done', 'canceled', 'expired', 'undone'))
  and imports.id > coalesce(nullif((:key::text[])[1], ''), '00000000-0000-0000-0000-000000000000')::uuid
order by imports.id
limit :limit::int
