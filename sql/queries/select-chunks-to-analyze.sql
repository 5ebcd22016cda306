-- Uncompressed chunks of hits and sessions that overlap [:from, :to] and have no statistics, or have 1.5 times the pages they had
-- when the statistics were made. Chunks of fewer than 16 pages are left out: with so few rows a scan of all of them is the plan
-- in any case.
select format('%I.%I', info.chunk_schema, info.chunk_name) as chunk
from timescaledb_information.chunks as info
join pg_namespace on pg_namespace.nspname = info.chunk_schema
join pg_class on pg_class.relnamespace = pg_namespace.oid and pg_class.relname = info.chunk_name
where info.hypertable_schema = 'public'
  and info.hypertable_name in ('events', 'sessions', 'web_vitals')
  and not info.is_compressed
  and info.range_end > :from::timestamptz
  and info.range_start <= :to::timestamptz
  and pg_relation_size(pg_class.oid) >= 16 * current_setting('block_size')::int
  and (
    pg_relation_size(pg_class.oid) >= 1.5 * pg_class.relpages * current_setting('block_size')::int
    or not exists (
      select from pg_stats where schemaname = info.chunk_schema and tablename = info.chunk_name
    )
  )
order by info.range_start
