-- Hits of :types of a site since :start, by 15-minute bucket, as `by_bucket`.
-- Dirty buckets are counted from raw rows. What is since :refreshedTo is in :countedHits, by :countedBuckets and :countedTypes. The range is
-- repeated for the raw rows to keep other chunks out of the plan: planning takes longer than execution.
dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'hits' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :refreshedTo::timestamptz
),
wanted as materialized (
  select
    ('pageview' = any(:types::text[]))::int as pageview,
    ('event' = any(:types::text[]))::int as event,
    ('outbound' = any(:types::text[]))::int as outbound,
    ('download' = any(:types::text[]))::int as download,
    ('button' = any(:types::text[]))::int as button,
    ('form' = any(:types::text[]))::int as form,
    ('copy' = any(:types::text[]))::int as copy,
    ('error' = any(:types::text[]))::int as error
),
counted as (
  select
    bucket,
    refreshed.pageview * wanted.pageview + refreshed.event * wanted.event + refreshed.outbound * wanted.outbound
      + refreshed.download * wanted.download + refreshed.button * wanted.button + refreshed.form * wanted.form
      + refreshed.copy * wanted.copy + refreshed.error * wanted.error as hits
  from log_15m_refreshed as refreshed, wanted
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :refreshedTo::timestamptz
    and bucket not in (select bucket from dirty)
  union all
  select dirty.bucket, hit.hits
  from dirty
  -- One index scan for each bucket: with wrong estimates a join would compare each hit with each bucket.
  cross join lateral (
    select count(*) as hits
    from events
    where events.site_no = :siteNo::int
      and events.at >= dirty.bucket and events.at < dirty.bucket + interval '15 minutes'
      and events.at >= :start::timestamptz and events.at < :refreshedTo::timestamptz
      and events.type = any(:types::text[])
  ) as hit
  union all
  select counted.bucket, counted.hits
  from unnest(:countedBuckets::timestamptz[], :countedTypes::text[], :countedHits::bigint[]) as counted (bucket, type, hits)
  where counted.type = any(:types::text[])
),
-- A bucket may have several counts.
by_bucket as (
  select bucket, sum(hits) as hits from counted group by bucket
)
