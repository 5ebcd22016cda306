-- Web vitals: how fast pages were for visitors.

-- One row a report: a later report of the same id and visitor replaces it. Times in whole milliseconds, cls in ten-thousandths.
create table web_vitals (
  site_no integer not null,
  -- Time of the pageview that the report belongs to.
  at timestamptz not null,
  -- Made by the page that was measured.
  id uuid not null,
  -- When the stored report was received, and its number among those of the same time: an earlier one never replaces it.
  received_at timestamptz not null,
  received_id uuid not null,
  lcp integer,
  inp integer,
  cls integer,
  fcp integer,
  ttfb integer,
  -- Elements as CSS selectors, and the longest phase of a time; empty where unknown.
  lcp_target text not null,
  inp_target text not null,
  cls_target text not null,
  lcp_phase text not null,
  inp_phase text not null,
  fcp_phase text not null,
  ttfb_phase text not null,
  -- From here on: copied from the pageview, so that a report matches the filters that its pageview matches.
  visitor_no integer not null,
  session_no bigint not null,
  session_at timestamptz not null,
  hostname text not null,
  path text not null,
  title text not null,
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
  props jsonb
);
-- Chunks of the same length as those of events: a report lies in the chunk of its pageview's time.
select create_hypertable('web_vitals', by_range('at', interval '7 days'), create_default_indexes => false);
-- Visitor numbers are unique among all sites.
create unique index web_vitals_once on web_vitals (visitor_no, id, at);
create index web_vitals_by_time on web_vitals (site_no, at);

alter table web_vitals set (
  timescaledb.compress,
  timescaledb.compress_segmentby = 'site_no',
  timescaledb.compress_orderby = 'at'
);
-- As for events: rows are looked up by visitor.
do $$
begin
  if (
    select string_to_array(split_part(extversion, '-', 1), '.')::int[] >= '{2,23}'
    from pg_extension
    where extname = 'timescaledb'
  ) then
    alter table web_vitals set (timescaledb.sparse_index = 'bloom(visitor_no)');
  end if;
end
$$;
