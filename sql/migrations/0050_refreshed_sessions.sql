-- The stored buckets of the aggregate of sessions, for the same reason as those of 0049_refreshed_buckets.sql.
do $$
declare
  stored record;
begin
  select materialization_hypertable_schema as schema, materialization_hypertable_name as name
  into strict stored
  from timescaledb_information.continuous_aggregates
  where view_schema = current_schema() and view_name = 'sessions_15m';
  execute format('create view sessions_15m_refreshed as select * from %I.%I', stored.schema, stored.name);
end
$$;
