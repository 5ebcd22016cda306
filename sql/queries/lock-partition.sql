-- Excludes other consumers of the partition until the transaction ends. It does not order them.
select pg_advisory_xact_lock($1::int, $2::int)
