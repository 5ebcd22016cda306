-- Chunks that ended before $1 and are still rows, oldest first; not where something has just been written.
select format('%I.%I', chunk_schema, chunk_name) as chunk
from timescaledb_information.chunks
where hypertable_schema = 'public'
  and hypertable_name in ('events', 'sessions')
  and not is_compressed
  and range_end < $1::timestamptz
  and not exists (select from dirty_buckets where bucket >= range_start and bucket < range_end)
order by range_end
