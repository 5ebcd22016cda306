-- Daily totals that other products counted. They are no hits: reads add them to days before the first hit of the site.

create table totals_imports (
  site_no integer not null references sites on delete cascade,
  import_no bigint generated always as identity,
  id uuid not null unique default gen_random_uuid(),
  format text not null,
  file_name text not null,
  -- SHA-256 of the file: the same file again takes the place of its rows.
  fingerprint text not null,
  -- False while it runs, and after it was cut off: no read uses its rows.
  is_ready boolean not null default false,
  -- Set when it is removed: its rows go in the background.
  removed_at timestamptz,
  imported_at timestamptz not null,
  imported_by uuid references users on delete set null,
  primary key (site_no, import_no)
);
create index totals_imports_by_user on totals_imports (imported_by);

-- One table of an import: totals by the same dimensions. It stands for all days from its first to its last.
create table totals_families (
  site_no integer not null,
  family_no bigint generated always as identity,
  import_no bigint not null,
  -- Names of the dimensions, in the order of `totals_days.vals`; none: totals of the site.
  dimensions text[] not null,
  -- Which of the numbers the file has; the others are 0.
  numbers text[] not null,
  from_day date not null,
  to_day date not null,
  row_count integer not null,
  primary key (site_no, family_no),
  foreign key (site_no, import_no) references totals_imports on delete cascade
);

-- One row for each day and combination of values.
create table totals_days (
  site_no integer not null,
  family_no bigint not null,
  -- As the other product counted it: a day of its own time zone, or of the site's where the file has hours.
  day date not null,
  -- MD5 of the values, which are too long for an index.
  key uuid not null,
  vals text[] not null,
  visitors bigint not null,
  sessions bigint not null,
  pageviews bigint not null,
  bounces bigint not null,
  duration_seconds bigint not null,
  events bigint not null,
  primary key (site_no, family_no, day, key)
);
