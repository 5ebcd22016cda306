-- Excludes other consumers of the partition until the transaction ends. It does not order them.
-- A hit that comes very late may touch a compressed chunk; by default TimescaleDB refuses to unpack more than
-- 100,000 rows for that.
select
  pg_advisory_xact_lock($1::int, $2::int),
  set_config('timescaledb.max_tuples_decompressed_per_dml_transaction', '0', true)
