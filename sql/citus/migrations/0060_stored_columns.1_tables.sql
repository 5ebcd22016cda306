-- Blocks lie in the shard of their site. Triggers of distributed tables run on the worker of the row, and what they write lies in the same shard.
do $$
begin
  perform create_distributed_table('column_blocks', 'site_no', colocate_with => 'events');
end
$$;
