-- Blocks other writers of rollups of the site ($1, $2) until the transaction ends.
select pg_advisory_xact_lock($1::int, $2::int)
