-- Waits for the transactions that store visitors' first sessions at site $2, and lets none begin to, until this one ends.
-- They share the lock (see draw-numbers).
select pg_advisory_xact_lock($1::int, $2::int)
