-- What happened at a time or during a span, in words.

create table annotations (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  text text not null,
  -- Either days of the site's time zone, whatever that becomes, or instants; both ends included.
  starts_on date,
  ends_on date,
  starts_at timestamptz,
  ends_at timestamptz,
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  check ((starts_on is null) <> (starts_at is null)),
  check (ends_on >= starts_on and ends_at >= starts_at)
);
create index annotations_by_site on annotations (site_no);
create index annotations_by_creator on annotations (created_by);
