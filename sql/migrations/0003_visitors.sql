-- Visitors, and the people that visitors were identified as.

create sequence visitor_numbers as integer;

create table visitors (
  -- One sequence for all sites, drawn only for new visitors: numbers are dense and grow with time, so that bitmaps of a day's
  -- visitors are small.
  visitor_no integer primary key,
  site_no integer not null,
  id uuid not null,
  first_seen_at timestamptz not null,
  session_count integer not null default 0,
  -- Start of the newest session.
  newest_session_at timestamptz,
  -- Identity that applies from the visitor's next hit on, and since when it waits.
  pending_identifier text,
  pending_since timestamptz,
  -- True when that hit must open a new session, because the running session belongs to another user.
  pending_splits boolean not null default false,
  unique (site_no, id)
) with (fillfactor = 85);

create table identities (
  site_no integer not null,
  identifier text not null,
  name text,
  avatar text,
  custom jsonb,
  -- Time of the identify hit that wrote the row. The newest hit wins, in whatever order hits arrive.
  updated_at timestamptz not null,
  primary key (site_no, identifier)
);
