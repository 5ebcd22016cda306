-- Excludes other consumers of the partition until the transaction ends. It does not order them.
-- A late hit may change a session in the columnstore: that is a few rows, but TimescaleDB counts whole batches against
-- a limit of 100,000 a transaction.
select
  set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true),
  pg_advisory_xact_lock($1::int, $2::int)
