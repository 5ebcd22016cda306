-- For this transaction: every statement is planned for its parameters, since a plan that does not know them unpacks all
-- segments of a columnstore chunk, and the limit on rows that are unpacked (100,000) is off, since the columnstore of
-- older versions unpacks what it deletes.
select
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)
