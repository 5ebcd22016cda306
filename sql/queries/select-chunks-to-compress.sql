-- Chunks that ended before :endedBefore and are not compressed, or only in part (bit 8 of the status: late hits were
-- decompressed), the oldest first. Chunks with dirty buckets are left out: rows have just been written there.
select format('%I.%I', info.chunk_schema, info.chunk_name) as chunk
from timescaledb_information.chunks as info
join _timescaledb_catalog.chunk as entry
  on entry.schema_name = info.chunk_schema and entry.table_name = info.chunk_name
where info.hypertable_schema = 'public'
  and info.hypertable_name in ('events', 'sessions', 'web_vitals')
  and (not info.is_compressed or entry.status & 8 > 0)
  and info.range_end < :endedBefore::timestamptz
  and not exists (
    select from dirty_buckets where bucket >= info.range_start and bucket < info.range_end
  )
order by info.range_end
