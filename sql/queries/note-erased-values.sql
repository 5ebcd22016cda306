-- Notes the values of hits that are about to be deleted, as digests like those of value_dictionary: the values that
-- count-day-values.sql counts, of hits, of their sessions and of their properties.
insert into erasure_items (erasure_id, site_no, kind, value)
select distinct :erasureId::uuid, site_no, 'value', encode(substring(sha256(convert_to(value, 'UTF8')) for 16), 'hex')::uuid::text
from events
cross join lateral (
  select unnest(array[{rolled_up_hit_columns}, error_id::text, {rolled_up_session_columns}]) as value
  union
  select jsonb_build_array(property.key, property.value)::text from jsonb_each_text(props) as property
) as carried
where site_no = :siteNo::int and at >= :start::timestamptz and at <= :end::timestamptz and id = any(:ids::uuid[])
  and value <> ''
on conflict do nothing
