-- As the common one, for sites of several shards: what is asked, and what is dirty of it, is sent to all of them.
with asked as materialized (
  select
    span.site_no,
    span.starts_at as kept_from,
    least(span.ends_at, details_from) as kept_to,
    greatest(span.starts_at, details_from) as starts_at,
    span.ends_at
  from unnest(:siteNos::int[], :starts::timestamptz[], :ends::timestamptz[]) as span (site_no, starts_at, ends_at)
  left join (select site_no, details_from from sites where details_from is not null) as site using (site_no)
),
dirty as materialized (
  select asked.site_no, bucket
  from asked
  join dirty_buckets on
    aggregate = 'hits' and dirty_buckets.site_no = asked.site_no and bucket >= starts_at and bucket < ends_at
    and bucket < :refreshedTo::timestamptz
  where dirty_buckets.site_no = any(:siteNos::int[])
)
select
  filled.site_no as "siteNo",
  filled.bucket,
  pageviews,
  custom_events as "customEvents",
  encode(array_send(visitors), 'base64') as visitors
from hits_15m_refreshed as filled
join asked on filled.site_no = asked.site_no and filled.bucket >= asked.starts_at and filled.bucket < asked.ends_at
where filled.site_no = any(:siteNos::int[])
  and filled.bucket < :refreshedTo::timestamptz
  and (filled.site_no, filled.bucket) not in (select site_no, bucket from dirty)
union all
select
  hit.site_no,
  dirty.bucket,
  count(*) filter (where type = 'pageview'),
  count(*) filter (where type = 'event' and not is_service),
  encode(array_send(array_agg(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service)), 'base64')
from events as hit
join dirty on hit.site_no = dirty.site_no and hit.at >= dirty.bucket and hit.at < dirty.bucket + interval '15 minutes'
where hit.site_no = any(:siteNos::int[])
group by 1, 2
union all
select
  since.site_no,
  time_bucket(interval '15 minutes', since.at),
  count(*) filter (where type = 'pageview'),
  count(*) filter (where type = 'event' and not is_service),
  encode(array_send(array_agg(distinct visitor_no) filter (where type not in ('engagement', 'identify') and not is_service)), 'base64')
from events as since
join asked on
  since.site_no = asked.site_no and since.at >= greatest(asked.starts_at, :refreshedTo::timestamptz) and since.at < asked.ends_at
where since.site_no = any(:siteNos::int[]) and since.at >= :refreshedTo::timestamptz
group by 1, 2
union all
select kept.site_no, kept.bucket, kept.pageviews, kept.custom_events, encode(array_send(kept.visitors), 'base64')
from kept_hit_buckets as kept
join asked on kept.site_no = asked.site_no and kept.bucket >= asked.kept_from and kept.bucket < asked.kept_to
where kept.site_no = any(:siteNos::int[])
