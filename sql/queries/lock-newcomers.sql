-- Waits for the transactions that store first sessions of visitors at site $2, and blocks new ones until this transaction ends.
-- Those transactions share the lock among themselves (see draw-numbers).
select pg_advisory_xact_lock($1::int, $2::int)
