-- As the common one, without a generic plan: which shard a statement reads is known with the values of its parameters.
select
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('max_parallel_workers_per_gather', '0', true),
  set_config('work_mem', '32MB', true),
  set_config('jit', 'off', true)
