-- Hits, and what is stored once for many of them.

-- One row a hit, never updated except for its attribution to a visitor. Engagement and identify hits are rows, too.
create table events (
  site_no integer not null,
  at timestamptz not null,
  id uuid not null,
  type text not null,
  name text not null,
  visitor_no integer,
  -- Session of the hit, and the session's start, which leads to its chunk.
  session_no bigint,
  session_at timestamptz,
  hostname text not null,
  path text not null,
  -- The URL as sent; empty when it is `path` followed by `query`, which is the usual case.
  url text not null,
  query text not null default '',
  title text not null,
  -- From here to city: copied from the session, so that a filter selects hits of whole sessions without a join.
  entry_path text not null default '',
  referrer text not null default '',
  source text not null default '',
  channel text not null default '',
  utm_source text not null default '',
  utm_medium text not null default '',
  utm_campaign text not null default '',
  utm_content text not null default '',
  utm_term text not null default '',
  browser text not null default '',
  os text not null default '',
  size text not null default '',
  country text not null default '',
  region text not null default '',
  city text not null default '',
  -- Strings by name; null when there are none.
  props jsonb,
  -- Engagement only: percent, milliseconds, and the time of the pageview it belongs to.
  scroll smallint,
  engaged_ms bigint,
  page_at timestamptz,
  -- Revenue that the hit reported, minor units. It never counts as revenue or MRR.
  revenue_minor bigint,
  revenue_currency text,
  error_id uuid,
  error_message text,
  error_stack text,
  error_file text,
  error_line text,
  error_column text,
  -- Written by the service itself (payments, subscription lifecycle): counts as no visitor, session or custom event.
  is_service boolean not null default false
);
select create_hypertable('events', by_range('at', interval '7 days'), create_default_indexes => false);
create unique index events_once on events (site_no, at, id);
-- Finds the pageview of an engagement hit. By the path too: a visitor's other hits lie all over the table, and reading them
-- took most of the time of storing once the table outgrew memory. hashtext, since a path may be too long for an index.
create index events_by_page on events (visitor_no, hashtext(path), at) where type = 'pageview';
create index events_of_service on events (site_no, at) where is_service;
create index events_of_errors on events (site_no, error_id, at) where type = 'error';

alter table events set (
  timescaledb.compress,
  timescaledb.compress_segmentby = 'site_no',
  timescaledb.compress_orderby = 'at'
);
-- Lets a search by visitor skip compressed batches. The default would be filters on pairs with the time: 4 bytes a hit that
-- nothing reads.
do $$
begin
  if (
    select string_to_array(split_part(extversion, '-', 1), '.')::int[] >= '{2,23}'
    from pg_extension
    where extname = 'timescaledb'
  ) then
    alter table events set (timescaledb.sparse_index = 'bloom(visitor_no)');
  end if;
end
$$;

-- One row a distinct error of a site. The id is a UUID derived from site and message.
create table error_groups (
  site_no integer not null,
  error_id uuid not null,
  message text not null,
  -- The first error name that was captured; `Error` until there is one.
  name text not null,
  primary key (site_no, error_id)
);

-- Distinct event names, property keys and error groups of a site on a UTC day, at most 10,000 of each kind; further ones are
-- stored as `(other)`. Of each value the first 8 bytes of its SHA-256, concatenated in order of arrival.
create table daily_values (
  site_no integer not null,
  day date not null,
  kind text not null check (kind in ('event_name', 'property_key', 'error_group')),
  digests bytea not null,
  primary key (site_no, day, kind)
);
-- Hashes do not compress.
alter table daily_values alter column digests set storage external;

-- Hits that could not be stored, with the reason. The rest of their batch was stored.
create table dead_letters (
  id uuid primary key,
  site_no integer,
  at timestamptz,
  reason text not null,
  payload text not null,
  failed_at timestamptz not null default now()
);
create index dead_letters_by_site on dead_letters (site_no);
