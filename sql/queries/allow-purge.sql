-- Sets two options for the current transaction. Statements get a plan for their parameters: a generic plan decompresses all
-- segments of a columnstore chunk. The limit on decompressed rows (100,000) is off: the columnstore of older versions
-- decompresses the rows that it deletes.
select
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)
