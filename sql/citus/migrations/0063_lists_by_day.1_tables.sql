drop table log_15m_counted, sessions_15m_counted;

-- As before (0043_queue_goal_days.3_derived.sql), without the two.
create or replace procedure refresh_continuous_aggregate(
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

do $$
begin
  execute replace(pg_get_functiondef('purge_rows'::regproc), '''log_15m_counted'', ''sessions_15m_counted'',', '');
end
$$;
