drop function delete_old_recent_hits(timestamptz);

do $$
begin
  execute replace(
    pg_get_functiondef('purge_rows'::regproc), 'aggregate in (''daily_rollups'', ''recent_hits'')', 'aggregate = ''daily_rollups'''
  );
end
$$;
