-- For the rest of the transaction: statements are planned once a connection. Which chunks they touch is found out when they
-- run; planning them for each call, compiling them or starting workers takes longer than running them.
select
  set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('max_parallel_workers_per_gather', '0', true),
  set_config('work_mem', '32MB', true),
  set_config('jit', 'off', true)
