-- Continuous aggregates of 15 minutes UTC. Every UTC offset in use is a multiple of 15 minutes, so that every local hour and
-- day consists of whole buckets. The service's scheduler refreshes them, never beyond the watermark.

-- One row a site and bucket with hits. visitors: the distinct visitor_no of pageviews and events.
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

-- One row a site, currency and bucket with payments. Sums are numeric: two amounts can exceed bigint's range in JavaScript.
-- Payments that were refunded in full add nothing to them.
create materialized view revenue_15m
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select
  site_no,
  currency,
  time_bucket(interval '15 minutes', at) as bucket,
  count(*) as recorded,
  count(*) filter (where refunded_minor < amount_minor) as payments,
  sum(amount_minor - refunded_minor) as revenue,
  sum(amount_minor - refunded_minor) filter (where is_recurring) as recurring,
  count(*) filter (where is_first_of_customer) as new_customers
from revenue
group by site_no, currency, time_bucket(interval '15 minutes', at)
with no data;

-- Hits of each type, service-written ones included: totals of the event log, and the time at which a page of it begins. Shares
-- watermark and dirty marks with hits_15m: a change that makes one stale makes both stale.
create materialized view log_15m
with (timescaledb.continuous, timescaledb.materialized_only = false) as
select
  site_no,
  time_bucket(interval '15 minutes', at) as bucket,
  count(*) filter (where type = 'pageview') as pageview,
  count(*) filter (where type = 'event') as event,
  count(*) filter (where type = 'outbound') as outbound,
  count(*) filter (where type = 'download') as download,
  count(*) filter (where type = 'button') as button,
  count(*) filter (where type = 'form') as form,
  count(*) filter (where type = 'copy') as copy,
  count(*) filter (where type = 'error') as error
from events
group by site_no, time_bucket(interval '15 minutes', at)
with no data;

-- Before its watermark an aggregate may be materialized, so a transaction that writes there must mark the bucket dirty.
-- Writers hold a share lock on the row; the scheduler's update of it therefore waits for transactions in flight.
create table watermarks (
  aggregate text primary key,
  watermark timestamptz not null default '-infinity',
  -- Everything before it was materialized once. Older than the watermark while a refresh runs or after one was interrupted.
  refreshed_to timestamptz not null default '-infinity'
);
insert into watermarks (aggregate) values ('hits'), ('sessions'), ('revenue'), ('daily_rollups');

-- Buckets whose materialized row may be stale: readers take them from raw rows until they are refreshed. A refresh removes
-- only the version of a mark that it has seen.
create sequence dirty_versions as bigint;
create table dirty_buckets (
  aggregate text not null references watermarks,
  site_no integer not null,
  bucket timestamptz not null,
  version bigint not null default nextval('dirty_versions'),
  primary key (aggregate, site_no, bucket)
);
-- An import of years marks hundreds of thousands of buckets; the oldest are refreshed first.
create index dirty_buckets_by_time on dirty_buckets (aggregate, bucket);
