-- How many hits of each type a site and bucket has, service-written ones included: the totals of event logs, and where in
-- time a page of one lies. On the horizon and the marks of `hits`: what makes one of them stale makes both so.
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
-- From the beginning again: of what was refreshed before, the new one has nothing, and the other is passed over.
update horizons set refreshed_to = '-infinity' where aggregate = 'hits';

-- What the columnstore keeps of each batch beside its times, to pass over it: which visitors it may have, for what looks up
-- their pageviews. By itself it would make such filters for pairs with the time, too, 4 bytes a hit that nothing reads.
-- Chunks get it when they are compressed anew.
do $$
begin
  if (
    select string_to_array(split_part(extversion, '-', 1), '.')::int[] >= '{2,23}'
    from pg_extension
    where extname = 'timescaledb'
  ) then
    alter table events set (timescaledb.sparse_index = 'bloom(visitor_no)');
  end if;
end
$$;
