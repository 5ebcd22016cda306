-- Tables are made as on one server, and distributed after the last of these migrations: until then nothing goes to the workers.
set local citus.enable_ddl_propagation = off;

-- The function of TimescaleDB by that name. Its buckets begin on a Monday.
create function time_bucket(width interval, at timestamptz) returns timestamptz
language sql immutable strict parallel safe as $$
  select date_bin(width, at, timestamptz '2000-01-03 00:00:00+00')
$$;
