-- With ids in halves, of which the one that says little takes up none: TimescaleDB can since 2.22, and does so by itself since
-- 2.23. A version that does not know the setting has no row of it.
with halving as materialized (
  select set_config(name, 'on', true) from pg_settings where name = 'timescaledb.enable_uuid_compression'
)
select compress_chunk($1::regclass, true)
from (select count(*) from halving) as prepared
