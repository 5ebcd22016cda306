-- 15-minute UTC buckets: every UTC offset in use is a multiple of 15 minutes, so that any site-local hour or
-- day is a whole number of them. Refreshed by the service's own scheduler, never beyond the horizon.

-- One row a site and bucket that has hits. visitors: the distinct visitor_no of pageviews and events.
create materialized view hits_15m
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select
  site_no,
  time_bucket(interval '15 minutes', at) as bucket,
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as custom_events,
  array_agg(distinct visitor_no)
    filter (where type not in ('engagement', 'identify') and not is_service) as visitors
from events
group by site_no, time_bucket(interval '15 minutes', at)
with no data;

-- One row a site and bucket in which sessions started.
create materialized view sessions_15m
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select
  site_no,
  time_bucket(interval '15 minutes', started_at) as bucket,
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  sum(duration_ms)::bigint as duration_ms
from sessions
group by site_no, time_bucket(interval '15 minutes', started_at)
with no data;

-- Below its horizon an aggregate may be materialised, so a transaction that writes there marks the bucket dirty.
-- Writers hold a share lock on the row; the scheduler's update of it therefore waits for those in flight.
create table horizons (
  aggregate text primary key,
  horizon timestamptz not null default '-infinity',
  -- Everything before it was materialised once. Behind the horizon while a refresh is under way or was cut off.
  refreshed_to timestamptz not null default '-infinity'
);
insert into horizons (aggregate) values ('hits'), ('sessions');

-- Buckets whose materialised row may be stale: readers take them from raw rows until they are refreshed.
-- A mark is taken off only in the version that was refreshed.
create table dirty_buckets (
  aggregate text not null references horizons,
  site_no integer not null,
  bucket timestamptz not null,
  version bigint not null default nextval('dirty_versions'),
  primary key (aggregate, site_no, bucket)
);
