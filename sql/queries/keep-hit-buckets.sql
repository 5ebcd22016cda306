-- Copies the aggregate of the hits of site :siteNo in [:start, :end) to kept buckets. Run it only while none of these buckets is
-- dirty. Types, and names of events of the service, are counted from rows: no aggregate has them.
insert into kept_hit_buckets (site_no, bucket, pageviews, custom_events, visitors, types, service_events)
select :siteNo::int, bucket, pageviews, custom_events, visitors, coalesce(types, '{}'), service_events
from (
  select bucket, pageviews, custom_events, visitors
  from hits_15m
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
) as counted
left join (
  select bucket, jsonb_object_agg(type, hits) as types
  from (
    select time_bucket(interval '15 minutes', at) as bucket, type, count(*) as hits
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
      and type not in ('engagement', 'identify')
    group by 1, 2
  ) as typed
  group by bucket
) as of_type using (bucket)
left join (
  select bucket, jsonb_object_agg(name, hits) as service_events
  from (
    select time_bucket(interval '15 minutes', at) as bucket, name, count(*) as hits
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
    group by 1, 2
  ) as named
  group by bucket
) as service using (bucket)
