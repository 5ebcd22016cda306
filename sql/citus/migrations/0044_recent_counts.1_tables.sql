-- Written with the sessions and hits of their site, so in the same shard. The span is one row for all sites, on the coordinator alone:
-- what reads it reads it before what goes to a shard.
do $$
begin
  perform create_distributed_table('session_counts', 'site_no', colocate_with => 'events');
  perform create_distributed_table('recent_hits', 'site_no', colocate_with => 'events');
end
$$;
