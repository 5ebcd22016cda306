-- Blocks other transactions that lock one of the names $1, until this one ends. Locks in a fixed order, to avoid deadlocks.
select pg_advisory_xact_lock(key)
from (select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as name order by key) as named
