-- Retention: how long the details of a site (its hits and sessions) are kept. Numbers outlive them.

alter table sites
  -- Months; null: for ever.
  add column retention_months integer check (retention_months between 1 and 120),
  -- Details before it are gone: no reader looks at rows before it, and no hit before it is stored. Set before rows are deleted,
  -- one local day after the other. A start of a local day; null while nothing was dropped.
  add column details_from timestamptz,
  -- Time of its last move: rows are deleted later, when no request that read the old value can still run.
  add column details_moved_at timestamptz,
  -- The end of the last chunk in which the site has no rows any more.
  add column details_dropped_to timestamptz,
  -- Numbers of the days before it are deleted, or about to be. A start of a local day, at most details_from.
  add column history_from timestamptz;

-- Kept buckets: what the continuous aggregates of hits and sessions said of 15 minutes of a site before its details_from. A copy,
-- since a refresh of a bucket, such as one that another site's late hit caused, counts the rows that are left.
create table kept_hit_buckets (
  site_no integer not null,
  bucket timestamptz not null,
  pageviews bigint not null,
  custom_events bigint not null,
  -- Distinct visitor_no of pageviews and events; null without any.
  visitors integer[],
  -- Hits by type, service events included, as in log_15m; types without hits are absent.
  types jsonb not null,
  -- Service events by name; null without any.
  service_events jsonb,
  primary key (site_no, bucket)
);
create table kept_session_buckets (
  site_no integer not null,
  bucket timestamptz not null,
  sessions bigint not null,
  bounces bigint not null,
  duration_ms bigint not null,
  primary key (site_no, bucket)
);
