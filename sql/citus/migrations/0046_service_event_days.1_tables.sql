-- In the shard of the events that it counts.
do $$
begin
  perform create_distributed_table('daily_service_events', 'site_no', colocate_with => 'events');
end
$$;
