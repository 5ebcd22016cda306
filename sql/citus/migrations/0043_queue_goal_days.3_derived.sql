-- What TimescaleDB has by these names: continuous aggregates, and the functions and views with which chunks are managed.
-- An aggregate is a table of what was counted, and a view that adds what is newer. The same statement counts in both.

-- Made again, so that the workers have it.
create or replace function time_bucket(width interval, at timestamptz) returns timestamptz
language sql immutable strict parallel safe as $$
  select date_bin(width, at, timestamptz '2000-01-03 00:00:00+00')
$$;

create table hits_15m_counted (
  site_no integer not null,
  bucket timestamptz not null,
  pageviews bigint not null,
  custom_events bigint not null,
  visitors integer[],
  primary key (site_no, bucket)
);
create view hits_15m as
select site_no, bucket, pageviews, custom_events, visitors
from hits_15m_counted
where bucket < (select refreshed_to from watermarks where aggregate = 'hits')
union all
select
  site_no,
  time_bucket(interval '15 minutes', at) as bucket,
  count(*) filter (where type = 'pageview') as pageviews,
  count(*) filter (where type = 'event' and not is_service) as custom_events,
  array_agg(distinct visitor_no)
    filter (where type not in ('engagement', 'identify') and not is_service) as visitors
from events
where at >= (select refreshed_to from watermarks where aggregate = 'hits')
group by 1, 2;

create table log_15m_counted (
  site_no integer not null,
  bucket timestamptz not null,
  pageview bigint not null,
  event bigint not null,
  outbound bigint not null,
  download bigint not null,
  button bigint not null,
  form bigint not null,
  copy bigint not null,
  error bigint not null,
  primary key (site_no, bucket)
);
create view log_15m as
select site_no, bucket, pageview, event, outbound, download, button, form, copy, error
from log_15m_counted
where bucket < (select refreshed_to from watermarks where aggregate = 'hits')
union all
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
where at >= (select refreshed_to from watermarks where aggregate = 'hits')
group by 1, 2;

create table sessions_15m_counted (
  site_no integer not null,
  bucket timestamptz not null,
  sessions bigint not null,
  bounces bigint not null,
  duration_ms bigint not null,
  primary key (site_no, bucket)
);
create view sessions_15m as
select site_no, bucket, sessions, bounces, duration_ms
from sessions_15m_counted
where bucket < (select refreshed_to from watermarks where aggregate = 'sessions')
union all
select
  site_no,
  time_bucket(interval '15 minutes', started_at) as bucket,
  count(*) as sessions,
  count(*) filter (where pageviews = 1) as bounces,
  sum(duration_ms)::bigint as duration_ms
from sessions
where started_at >= (select refreshed_to from watermarks where aggregate = 'sessions')
group by 1, 2;

create table revenue_15m_counted (
  site_no integer not null,
  currency text not null,
  bucket timestamptz not null,
  recorded bigint not null,
  payments bigint not null,
  revenue numeric,
  recurring numeric,
  new_customers bigint not null,
  primary key (site_no, currency, bucket)
);
create view revenue_15m as
select site_no, currency, bucket, recorded, payments, revenue, recurring, new_customers
from revenue_15m_counted
where bucket < (select refreshed_to from watermarks where aggregate = 'revenue')
union all
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
where at >= (select refreshed_to from watermarks where aggregate = 'revenue')
group by 1, 2, 3;

do $$
begin
  perform create_distributed_table('hits_15m_counted', 'site_no', colocate_with => 'events');
  perform create_distributed_table('log_15m_counted', 'site_no', colocate_with => 'events');
  perform create_distributed_table('sessions_15m_counted', 'site_no', colocate_with => 'events');
  perform create_distributed_table('revenue_15m_counted', 'site_no', colocate_with => 'events');
end
$$;

-- Counts the buckets of [:from, :to) again, on the workers. A reader of a bucket gets what was counted before or after.
create procedure refresh_continuous_aggregate(
  aggregate regclass, window_start timestamptz, window_end timestamptz, options jsonb default null
)
language plpgsql as $$
declare
  from_at timestamptz := coalesce(window_start, '-infinity');
begin
  -- One connection to each worker: the second statement must see what the first one did.
  execute format('delete from %I where bucket >= %L and bucket < %L', aggregate::text || '_counted', from_at, window_end);
  case aggregate::text
  when 'hits_15m' then
    insert into hits_15m_counted (site_no, bucket, pageviews, custom_events, visitors)
    select
      site_no,
      time_bucket(interval '15 minutes', at),
      count(*) filter (where type = 'pageview') as pageviews,
      count(*) filter (where type = 'event' and not is_service) as custom_events,
      array_agg(distinct visitor_no)
        filter (where type not in ('engagement', 'identify') and not is_service) as visitors
    from events
    where at >= from_at and at < window_end
    group by 1, 2;
  when 'log_15m' then
    insert into log_15m_counted (site_no, bucket, pageview, event, outbound, download, button, form, copy, error)
    select
      site_no,
      time_bucket(interval '15 minutes', at),
      count(*) filter (where type = 'pageview') as pageview,
      count(*) filter (where type = 'event') as event,
      count(*) filter (where type = 'outbound') as outbound,
      count(*) filter (where type = 'download') as download,
      count(*) filter (where type = 'button') as button,
      count(*) filter (where type = 'form') as form,
      count(*) filter (where type = 'copy') as copy,
      count(*) filter (where type = 'error') as error
    from events
    where at >= from_at and at < window_end
    group by 1, 2;
  when 'sessions_15m' then
    insert into sessions_15m_counted (site_no, bucket, sessions, bounces, duration_ms)
    select
      site_no,
      time_bucket(interval '15 minutes', started_at),
      count(*) as sessions,
      count(*) filter (where pageviews = 1) as bounces,
      sum(duration_ms)::bigint as duration_ms
    from sessions
    where started_at >= from_at and started_at < window_end
    group by 1, 2;
  when 'revenue_15m' then
    insert into revenue_15m_counted (site_no, currency, bucket, recorded, payments, revenue, recurring, new_customers)
    select
      site_no,
      currency,
      time_bucket(interval '15 minutes', at),
      count(*) as recorded,
      count(*) filter (where refunded_minor < amount_minor) as payments,
      sum(amount_minor - refunded_minor) as revenue,
      sum(amount_minor - refunded_minor) filter (where is_recurring) as recurring,
      count(*) filter (where is_first_of_customer) as new_customers
    from revenue
    where at >= from_at and at < window_end
    group by 1, 2, 3;
  end case;
end
$$;

-- Rows lie in one table for all times. What TimescaleDB has as chunks are the weeks since the first hit here, so that retention drops whole
-- weeks; none is ever compressed.
create schema timescaledb_information;
create view timescaledb_information.chunks as
select
  'public'::name as hypertable_schema,
  hypertable_name,
  'public'::name as chunk_schema,
  hypertable_name as chunk_name,
  range_start,
  range_start + interval '7 days' as range_end,
  false as is_compressed
from (values ('events'::name), ('sessions'), ('web_vitals')) as hypertable (hypertable_name)
cross join generate_series(
  -- On a Thursday at 00:00 UTC, as those of TimescaleDB.
  date_bin(interval '7 days', (select min(first_event_at) from sites) - interval '7 days', timestamptz '1970-01-01 00:00:00+00'),
  now(),
  interval '7 days'
) as range_start;
create schema _timescaledb_catalog;
create view _timescaledb_catalog.chunk as
select null::name as schema_name, null::name as table_name, null::integer as status
where false;
create function compress_chunk(chunk regclass, if_not_compressed boolean) returns regclass language sql as 'select chunk';
create function decompress_chunk(chunk regclass, if_compressed boolean) returns regclass language sql as 'select chunk';
create function drop_chunks(hypertable regclass, older_than timestamptz, newer_than timestamptz default '-infinity')
returns setof text language plpgsql as $$
begin
  execute format(
    'delete from %1$s where %2$I < %3$L and %2$I >= %4$L',
    hypertable, case hypertable::text when 'sessions' then 'started_at' else 'at' end, older_than, newer_than
  );
end
$$;
