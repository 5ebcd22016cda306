-- Written with the sessions and hits of their site, so in the same shard. The start is one row for all sites, on the coordinator alone.
do $$
begin
  perform create_distributed_table('new_stamps', 'site_no', colocate_with => 'events');
  perform create_distributed_table('stamps', 'site_no', colocate_with => 'events');
end
$$;
