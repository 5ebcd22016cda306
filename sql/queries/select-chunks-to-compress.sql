-- Chunks that ended before $1 and are still rows, oldest first.
select format('%I.%I', chunk_schema, chunk_name) as chunk
from timescaledb_information.chunks
where hypertable_schema = 'public'
  and hypertable_name in ('events', 'sessions')
  and not is_compressed
  and range_end < $1::timestamptz
order by range_end
