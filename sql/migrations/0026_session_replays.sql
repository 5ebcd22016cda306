-- Session replays: what visitors saw and did, as the tracker recorded it.

alter table sites
  add column replay_sample_percent integer not null default 100 check (replay_sample_percent between 1 and 100),
  add column replay_excluded_paths text[] not null default '{}',
  add column replay_days integer not null default 30 check (replay_days between 1 and 90);

-- One row a session that has recordings: lists and bounds need no chunk.
create table session_replays (
  site_no integer not null,
  session_no bigint not null,
  session_at timestamptz not null,
  visitor_no integer not null,
  -- Receipt of the first chunk and of the latest one.
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- The clock of the browser, Unix milliseconds.
  first_event_ms bigint not null,
  last_event_ms bigint not null,
  recordings integer not null,
  chunks integer not null,
  bytes bigint not null,
  primary key (site_no, session_no)
);
create index session_replays_by_start on session_replays (site_no, session_at desc, session_no desc);
create index session_replays_by_age on session_replays (site_no, last_at);

-- What one page sent in one request: rrweb events as gzip. A recording is one page, from its full snapshot on.
create table replay_chunks (
  site_no integer not null,
  -- Time of receipt.
  at timestamptz not null,
  -- Orders chunks of the same time in an export.
  id uuid not null default gen_random_uuid(),
  session_no bigint not null,
  recording uuid not null,
  -- From 0 within the recording.
  position integer not null,
  hostname text not null,
  path text not null,
  -- The clock of the browser, Unix milliseconds.
  first_event_ms bigint not null,
  last_event_ms bigint not null,
  events integer not null,
  bytes integer not null,
  -- Bytes of the events as JSON.
  unpacked integer not null,
  data bytea not null
);
-- Compressed already: PostgreSQL would only try in vain.
alter table replay_chunks alter column data set storage external;
-- Short chunks, because whole ones are dropped by age. They never go to the columnstore, which would unpack nothing smaller.
select create_hypertable('replay_chunks', by_range('at', interval '1 day'), create_default_indexes => false);
create unique index replay_chunks_once on replay_chunks (site_no, recording, position, at);
create index replay_chunks_by_session on replay_chunks (site_no, session_no, at);
