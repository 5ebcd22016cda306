-- Counts of local days, ready to be added up: the cost of a read grows with days and values, not with hits.
-- A rollup of a day covers its hits before rolled_up_to, and of the sessions that started in it those without a hit in the last
-- 30 minutes before rolled_up_to, so that only a late hit can change them. A transaction that changes what a rollup may cover
-- marks the day dirty, and readers count that day from raw rows until it is rolled up again.
-- The bounds of the day are the key: after a change of the time zone no wrong day can match.

create table daily_rollups (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  rolled_up_to timestamptz not null,
  pageviews bigint not null,
  custom_events bigint not null,
  sessions bigint not null,
  bounces bigint not null,
  duration_ms bigint not null,
  -- Serialized roaring bitmap of visitor_no.
  visitors bytea not null,
  -- Changes with every change of the row's counts, so that a process that has read a rollup need not read it again. Random, so
  -- that not even a database restored from a backup uses a version twice.
  version uuid not null default gen_random_uuid(),
  -- Names the dimensions that the rollup counts. Processes read only rollups of their own dimensions: a missing row of
  -- daily_value_rollups means a day without values, not a dimension that was not counted.
  dimensions_hash text not null,
  primary key (site_no, starts_at, ends_at)
);
alter table daily_rollups alter column visitors set storage external;
-- Finds rollups of other dimensions; usually there are none.
create index daily_rollups_by_dimensions on daily_rollups (dimensions_hash);

create function renew_rollup_version() returns trigger language plpgsql as $$
begin
  new.version := gen_random_uuid();
  return new;
end
$$;

-- Values of a day are written only together with the day. rolled_up_to alone moves when there is nothing new to count.
create trigger renew_version
before update of pageviews, custom_events, sessions, bounces, duration_ms, visitors, dimensions_hash on daily_rollups
for each row execute function renew_rollup_version();

-- Counts by value of a dimension on a day; no row where the dimension had no value.
create table daily_value_rollups (
  site_no integer not null,
  dimension text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Columns of counts, one entry a value; null when there were too many values to be worth it.
  counts bytea,
  -- The visitor_no of each value, in the order of `counts`.
  visitors bytea,
  primary key (site_no, dimension, starts_at, ends_at)
);
alter table daily_value_rollups alter column counts set storage external;
alter table daily_value_rollups alter column visitors set storage external;

-- Numbers of values: rollups store a number instead of the text.
create table value_dictionary (
  value_id integer generated always as identity primary key,
  site_no integer not null,
  -- The first 16 bytes of SHA-256 of the value, which may be too long for an index.
  sha256 uuid not null,
  value text not null,
  unique (site_no, sha256)
);

-- Local days of `timezone` from rolled_up_from to now are rolled up, or will be in the scheduler's next round.
create table rollup_spans (
  site_no integer primary key,
  timezone text not null,
  rolled_up_from timestamptz not null
);
