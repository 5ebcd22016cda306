-- A new lookup is due at once. An existing one stays unchanged, unless it was made for another event than this one, or its answer becomes
-- news; news stays news.
insert into processor_facts (site_no, event_id, kind, at, object_id, sale_ids, body)
values (
  :siteNo::int, 'lookup/' || :id::text, 'lookup', now(), :id::text, '{}',
  jsonb_build_object(
    'of', :of::text, 'isMissing', false, 'eventId', :eventId::text, 'eventAt', :eventAt::bigint, 'isNews', :isNews::boolean
  )
)
on conflict (site_no, event_id, kind, object_id) do update
set
  at = excluded.at,
  body = excluded.body
    || case
      when :isNews::boolean or coalesce((processor_facts.body ->> 'isNews')::boolean, true) then '{"isNews": true}'::jsonb
      else '{"isNews": false}'
    end
where
  processor_facts.body ->> 'eventId' is distinct from :eventId::text
  or (:isNews::boolean and not coalesce((processor_facts.body ->> 'isNews')::boolean, true))
