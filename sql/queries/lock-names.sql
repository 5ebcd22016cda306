-- Excludes, until the transaction ends, everybody else who locks one of the names ($1). In one order for all, so that two
-- never wait for each other.
select pg_advisory_xact_lock(key)
from (select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as name order by key) as named
