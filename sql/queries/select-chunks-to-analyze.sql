-- Chunks of hits and sessions that hold times of [$1, $2] and are rows, of which there are no statistics or which have half as
-- many pages more than when these were made. Not those of fewer than 16 pages: of so few rows all would be read for one.
select format('%I.%I', info.chunk_schema, info.chunk_name) as chunk
from timescaledb_information.chunks as info
join pg_namespace on pg_namespace.nspname = info.chunk_schema
join pg_class on pg_class.relnamespace = pg_namespace.oid and pg_class.relname = info.chunk_name
where info.hypertable_schema = 'public'
  and info.hypertable_name in ('events', 'sessions')
  and not info.is_compressed
  and info.range_end > $1::timestamptz
  and info.range_start <= $2::timestamptz
  and pg_relation_size(pg_class.oid) >= 16 * current_setting('block_size')::int
  and (
    pg_relation_size(pg_class.oid) >= 1.5 * pg_class.relpages * current_setting('block_size')::int
    or not exists (
      select from pg_stats where schemaname = info.chunk_schema and tablename = info.chunk_name
    )
  )
order by info.range_start
