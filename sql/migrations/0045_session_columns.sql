-- What the sessions of a finished day were and saw, by column: filtered reads take them instead of rows.
create table daily_session_columns (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Sessions of a large day are divided by their start, from 0.
  part smallint not null,
  -- A dimension, `path/measures` and `title/measures` for what is measured there, or `sessions` for what has no dimension.
  name text not null,
  -- See src/rollups/session-columns/codec.ts.
  data bytea not null,
  primary key (site_no, starts_at, ends_at, part, name)
);
-- Compressed already.
alter table daily_session_columns alter column data set storage external;

-- How many parts are stored; null for none. A write of the rollup sets it anew, so that they always agree.
alter table daily_rollups add column session_parts smallint;
