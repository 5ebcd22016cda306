-- Hits of a site in [start, end) by bucket and type, from counts by 15-minute bucket. `bucket` counts, from 0, the half-open
-- buckets that begin at `bounds`.
-- Dirty buckets are counted from raw rows. What is since :refreshedTo is in :countedHits, by :countedBuckets and :countedTypes. Before the
-- site's details_from kept buckets answer, as in read-hit-buckets.sql.
with details as materialized (
  select coalesce((select details_from from sites where site_no = :siteNo::int), '-infinity') as since
),
dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'hits' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :refreshedTo::timestamptz
    and bucket >= (select since from details)
),
summed as (
  select
    width_bucket(bucket, :bounds::timestamptz[]) - 1 as bucket,
    sum(pageview) as pageview,
    sum(event) as event,
    sum(outbound) as outbound,
    sum(download) as download,
    sum(button) as button,
    sum(form) as form,
    sum(copy) as copy,
    sum(error) as error
  from log_15m_refreshed
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :refreshedTo::timestamptz
    and bucket >= (select since from details)
    and bucket not in (select bucket from dirty)
  group by 1
),
counted as (
  select summed.bucket, of_type.type, of_type.hits
  from summed
  cross join lateral (
    values
      ('pageview', pageview),
      ('event', event),
      ('outbound', outbound),
      ('download', download),
      ('button', button),
      ('form', form),
      ('copy', copy),
      ('error', error)
  ) as of_type (type, hits)
  union all
  select width_bucket(events.at, :bounds::timestamptz[]) - 1, events.type, count(*)
  from dirty
  join events on time_bucket(interval '15 minutes', events.at) = dirty.bucket
  where events.site_no = :siteNo::int
    and events.at >= (select min(bucket) from dirty)
    and events.at < (select max(bucket) + interval '15 minutes' from dirty)
  group by 1, 2
  union all
  select width_bucket(counted.bucket, :bounds::timestamptz[]) - 1, counted.type, counted.hits
  from unnest(:countedBuckets::timestamptz[], :countedTypes::text[], :countedHits::bigint[]) as counted (bucket, type, hits)
  where counted.bucket >= (select since from details)
  union all
  select width_bucket(bucket, :bounds::timestamptz[]) - 1, of_type.key, of_type.value::bigint
  from kept_hit_buckets
  cross join lateral jsonb_each_text(types) as of_type
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < least(:end::timestamptz, (select since from details))
)
select bucket, type, sum(hits)::bigint as hits
from counted
where type = any(:types::text[]) and hits > 0
group by 1, 2
