-- Turns UUID compression on: it stores an id in two halves, and the half with little information takes no space. TimescaleDB
-- supports it since 2.22 and uses it by default since 2.23. Older versions have no such setting: pg_settings returns no row, and
-- nothing is set.
with halving as materialized (
  select set_config(name, 'on', true) from pg_settings where name = 'timescaledb.enable_uuid_compression'
)
select compress_chunk($1::regclass, true)
from (select count(*) from halving) as prepared
