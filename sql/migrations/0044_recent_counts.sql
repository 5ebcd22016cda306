-- Sessions by the quarter-hour of their start, kept in step by every transaction that writes sessions. A daily rollup holds a session only
-- half an hour after its last hit, and sessions_15m only a day after its start: of a busy site, adding up the rest from rows took seconds.
create table session_counts (
  site_no integer not null,
  bucket timestamptz not null,
  -- A partition whose lock the transaction holds: two transactions never wait for each other's row.
  partition smallint not null,
  sessions bigint not null,
  bounces bigint not null,
  duration_ms bigint not null,
  primary key (site_no, bucket, partition)
) with (fillfactor = 70);

-- Sessions that started from then on are counted, a whole number of buckets; infinite until all processes count.
create table session_count_span (
  only_row boolean primary key default true check (only_row),
  counted_from timestamptz not null
);
insert into session_count_span (counted_from) values ('infinity');

-- Hits of busy sites by quarter-hour, up to some seconds ago: no aggregate and no rollup holds the last half hour. A transaction that changes
-- hits before the watermark marks their bucket, and readers count a marked bucket from rows.
create table recent_hits (
  site_no integer not null,
  bucket timestamptz not null,
  -- Hits of the bucket before this time are counted.
  counted_to timestamptz not null,
  pageviews bigint not null,
  custom_events bigint not null,
  -- Serialized roaring bitmap of visitor_no.
  visitors bytea not null,
  -- Changes with every write: who counted by an older row must not write.
  version bigint not null default nextval('dirty_versions'),
  primary key (site_no, bucket)
);
alter table recent_hits alter column visitors set storage external;
insert into watermarks (aggregate) values ('recent_hits');
