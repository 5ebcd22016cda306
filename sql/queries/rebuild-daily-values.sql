-- Counts the distinct values of a site and UTC day again, from the hits that it has: see DailyValues. Digests are the first 8 bytes of SHA-256.
with hits as materialized (
  select type, name, props, error_id, error_message
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and not is_service
    and (type in ('event', 'error') or props is not null)
),
used as (
  select 'event_name' as kind, name as value from hits where type in ('event', 'error')
  union
  select 'property_key', key from hits cross join lateral jsonb_object_keys(props) as key
  union
  select 'error_group', error_id::text from hits where type = 'error' and error_message is distinct from '(other)'
),
rebuilt as (
  select kind, string_agg(substring(sha256(convert_to(value, 'UTF8')) for 8), ''::bytea order by value) as digests
  from used
  where value <> '(other)'
  group by kind
)
update daily_values
set digests = coalesce((select rebuilt.digests from rebuilt where rebuilt.kind = daily_values.kind), ''::bytea)
where site_no = :siteNo::int and day = (:start::timestamptz at time zone 'UTC')::date
