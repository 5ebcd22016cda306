create sequence session_numbers as bigint;

-- One row a session. started_at is the time of the opening hit and never changes; a late hit moves first_at, every hit and
-- engagement moves last_at.
create table sessions (
  site_no integer not null,
  started_at timestamptz not null,
  session_no bigint not null,
  visitor_no integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- last_at - first_at in milliseconds, stored so that sums are exact integers.
  duration_ms bigint not null,
  pageviews integer not null,
  events integer not null,
  -- Position among the visitor's sessions by start, from 1.
  visit_count integer not null,
  -- Identifier of the identified user; empty when anonymous.
  user_id text not null,
  -- Time of the newest identify hit that set user_id; null when anonymous.
  user_since timestamptz,
  hostname text not null default '',
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
  browser_version text not null default '',
  os text not null default '',
  os_version text not null default '',
  size text not null default '',
  country text not null default '',
  region text not null default '',
  city text not null default '',
  language text not null default '',
  -- Width and height in pixels, `1920x1080`: one text compresses better than two numbers.
  screen text not null default ''
) with (fillfactor = 85);
select create_hypertable('sessions', by_range('started_at', interval '7 days'), create_default_indexes => false);
create unique index sessions_once on sessions (site_no, started_at, session_no);
create index sessions_by_visitor on sessions (visitor_no, started_at);

alter table sessions set (
  timescaledb.compress,
  timescaledb.compress_segmentby = 'site_no',
  timescaledb.compress_orderby = 'started_at'
);
-- As for events: sessions are looked up by visitor.
do $$
begin
  if (
    select string_to_array(split_part(extversion, '-', 1), '.')::int[] >= '{2,23}'
    from pg_extension
    where extname = 'timescaledb'
  ) then
    alter table sessions set (timescaledb.sparse_index = 'bloom(visitor_no)');
  end if;
end
$$;
