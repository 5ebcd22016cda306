-- Chunks of hits and sessions that overlap [$1, $2] and are compressed, fully or in part.
select format('%I.%I', chunk_schema, chunk_name) as chunk
from timescaledb_information.chunks
where hypertable_schema = 'public'
  and hypertable_name in ('events', 'sessions')
  and is_compressed
  and range_end > $1::timestamptz
  and range_start <= $2::timestamptz
order by range_start
