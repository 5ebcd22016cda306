-- Returns watermarks that stay until the transaction ends. Of a table that all servers have, Citus locks no single rows: two batches of hits
-- would wait for each other. So the lock is one by the name, and the watermark is read by a statement that begins after it.
create function hold_watermarks(names text[]) returns table (aggregate text, watermark timestamptz) language plpgsql as $$
declare
  name text;
begin
  for name in select unnest(names) order by 1 loop
    perform pg_advisory_xact_lock_shared(hashtext('watermarks'), hashtext(name));
  end loop;
  return query select held.aggregate, held.watermark from watermarks as held where held.aggregate = any(names);
end
$$;

-- Moves a watermark forward, once no transaction holds it.
create function move_watermark(name text, forward_to timestamptz) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('watermarks'), hashtext(name));
  update watermarks set watermark = forward_to where aggregate = name and watermark < forward_to;
end
$$;

-- Deletes recent hits before a time, and their marks. Citus skips no locked rows of several shards, so no transaction may set marks
-- at the same time. When there are no old marks, no lock is taken.
create function delete_old_recent_hits(before timestamptz) returns void language plpgsql as $$
begin
  delete from recent_hits where bucket < before;
  if exists (select 1 from dirty_buckets where aggregate = 'recent_hits' and bucket < before) then
    perform pg_advisory_xact_lock(hashtext('watermarks'), hashtext('recent_hits'));
    delete from dirty_buckets where aggregate = 'recent_hits' and bucket < before;
  end if;
end
$$;

-- A purge deletes the marks of recent hits, too.
do $$
begin
  execute replace(
    pg_get_functiondef('purge_rows'::regproc), 'aggregate = ''daily_rollups''', 'aggregate in (''daily_rollups'', ''recent_hits'')'
  );
end
$$;
