-- Copies the aggregates of the hits of site :siteNo in [:start, :end) to kept buckets. Run it only while none of these buckets is
-- dirty. Service events are counted from rows: no aggregate has their names.
insert into kept_hit_buckets (site_no, bucket, pageviews, custom_events, visitors, types, service_events)
select
  :siteNo::int,
  bucket,
  hits_15m.pageviews,
  hits_15m.custom_events,
  hits_15m.visitors,
  jsonb_strip_nulls(jsonb_build_object(
    'pageview', nullif(log_15m.pageview, 0),
    'event', nullif(log_15m.event, 0),
    'outbound', nullif(log_15m.outbound, 0),
    'download', nullif(log_15m.download, 0),
    'button', nullif(log_15m.button, 0),
    'form', nullif(log_15m.form, 0),
    'copy', nullif(log_15m.copy, 0),
    'error', nullif(log_15m.error, 0)
  )),
  service.names
from (
  select bucket, pageviews, custom_events, visitors
  from hits_15m
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
) as hits_15m
join (
  select bucket, pageview, event, outbound, download, button, form, copy, error
  from log_15m
  where site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
) as log_15m using (bucket)
left join (
  select bucket, jsonb_object_agg(name, hits) as names
  from (
    select time_bucket(interval '15 minutes', at) as bucket, name, count(*) as hits
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
    group by 1, 2
  ) as named
  group by bucket
) as service using (bucket)
