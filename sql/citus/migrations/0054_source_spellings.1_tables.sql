-- In the shard of the site's hits: one transaction writes both.
do $$
begin
  perform create_distributed_table('source_spellings', 'site_no', colocate_with => 'events');
end
$$;
