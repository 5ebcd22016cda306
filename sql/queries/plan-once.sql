-- Sets options for the rest of the transaction: statements are planned once for each connection, and the chunks they touch are
-- selected at execution. To plan each call, compile it with JIT or start parallel workers takes longer than to run it.
select
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('max_parallel_workers_per_gather', '0', true),
  set_config('work_mem', '32MB', true),
  set_config('jit', 'off', true)
