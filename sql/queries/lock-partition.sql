-- Blocks other consumers of the partition until the transaction ends. It does not determine their order.
-- Turns off the limit of 100,000 decompressed rows in a transaction: a late hit may change a session in the columnstore, and
-- TimescaleDB counts the whole compressed batches of the few rows that change.
select
  set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true),
  pg_advisory_xact_lock($1::int, $2::int)
