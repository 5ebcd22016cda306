-- In the shard of their rollup.
do $$
begin
  perform create_distributed_table('daily_session_columns', 'site_no', colocate_with => 'events');
end
$$;
