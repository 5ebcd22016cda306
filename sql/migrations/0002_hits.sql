-- What was sent: visitors, identities, hits and the sessions they form.

create sequence visitor_numbers as integer;
create sequence session_numbers as bigint;
create sequence dirty_versions as bigint;

create table visitors (
  -- One sequence for all sites, drawn only for visitors that are new, so that it is dense and grows with time
  -- and a day's visitors are nearly a run: bitmaps of them are small.
  visitor_no integer primary key,
  site_no integer not null,
  id uuid not null,
  first_seen_at timestamptz not null,
  session_count integer not null default 0,
  -- Start of the newest session.
  newest_session_at timestamptz,
  -- An identity that waits for the visitor's next hit, and since when.
  pending_identifier text,
  pending_since timestamptz,
  -- True when it must open a new session, because the running one belongs to somebody else.
  pending_splits boolean not null default false,
  unique (site_no, id)
) with (fillfactor = 85);

create table identities (
  site_no integer not null,
  identifier text not null,
  name text,
  avatar text,
  custom jsonb,
  -- Time of the identify hit that wrote it: the latest wins, in whatever order they arrive.
  updated_at timestamptz not null,
  primary key (site_no, identifier)
);

-- One row a hit; rows are only added. Engagement and identify are rows of their own.
create table events (
  site_no integer not null,
  at timestamptz not null,
  id uuid not null,
  type text not null,
  name text not null,
  visitor_no integer,
  -- The session the hit belongs to and its start, by which sessions are found without touching other chunks.
  session_no bigint,
  session_at timestamptz,
  hostname text not null,
  path text not null,
  -- url.path as sent, with query and fragment
  url text not null,
  title text not null,
  -- From here to screen_height: the session's, so that a filter keeps whole sessions without a join.
  entry_path text not null,
  referrer text not null,
  source text not null,
  channel text not null,
  utm_source text not null,
  utm_medium text not null,
  utm_campaign text not null,
  utm_content text not null,
  utm_term text not null,
  browser text not null,
  browser_version text not null,
  os text not null,
  os_version text not null,
  size text not null,
  country text not null,
  region text not null,
  city text not null,
  language text not null,
  screen_width integer,
  screen_height integer,
  -- string to string; null when there are none
  props jsonb,
  -- Engagement only: percent, milliseconds, and the pageview it belongs to.
  scroll smallint,
  engaged_ms bigint,
  page_at timestamptz,
  page_id uuid,
  -- Reported revenue, minor units; never enters revenue or MRR.
  revenue_minor bigint,
  revenue_currency text,
  error_id uuid,
  error_message text,
  error_stack text,
  error_file text,
  error_line text,
  error_column text,
  -- Written by the service itself (payments, subscription lifecycle): makes no visitor, session or custom event.
  is_service boolean not null default false
);
select create_hypertable('events', by_range('at', interval '7 days'), create_default_indexes => false);
create unique index events_once on events (site_no, at, id);
create index events_by_visitor on events (visitor_no, at) where visitor_no is not null;

-- One row a session. started_at is the opening hit's time and never changes; a late hit moves first_at,
-- every hit and engagement moves last_at.
create table sessions (
  site_no integer not null,
  started_at timestamptz not null,
  session_no bigint not null,
  -- The id of the opening hit.
  id uuid not null,
  visitor_no integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- last_at - first_at in milliseconds, kept so that sums are exact integers
  duration_ms bigint not null,
  pageviews integer not null,
  events integer not null,
  -- Which session of the visitor this is, by start, from 1.
  visit_count integer not null,
  -- Identifier of the identified user; empty when anonymous.
  user_id text not null,
  -- Time of the newest identify that said so; null when anonymous.
  user_since timestamptz,
  hostname text not null,
  entry_path text not null,
  referrer text not null,
  source text not null,
  channel text not null,
  utm_source text not null,
  utm_medium text not null,
  utm_campaign text not null,
  utm_content text not null,
  utm_term text not null,
  browser text not null,
  browser_version text not null,
  os text not null,
  os_version text not null,
  size text not null,
  country text not null,
  region text not null,
  city text not null,
  language text not null,
  screen_width integer,
  screen_height integer
) with (fillfactor = 85);
select create_hypertable('sessions', by_range('started_at', interval '7 days'), create_default_indexes => false);
create unique index sessions_once on sessions (site_no, started_at, session_no);
create index sessions_by_visitor on sessions (visitor_no, started_at);

alter table events set (
  timescaledb.compress,
  timescaledb.compress_segmentby = 'site_no',
  timescaledb.compress_orderby = 'at'
);
alter table sessions set (
  timescaledb.compress,
  timescaledb.compress_segmentby = 'site_no',
  timescaledb.compress_orderby = 'started_at'
);

-- Hits that could not be stored, with the reason; the rest of their batch was.
create table dead_letters (
  id uuid primary key,
  site_no integer,
  at timestamptz,
  reason text not null,
  payload text not null,
  failed_at timestamptz not null default now()
);
