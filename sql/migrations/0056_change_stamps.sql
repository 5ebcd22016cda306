-- Which columns in memory are old: a transaction that changes what they hold adds a random number, a stamp, for the time span of the change.
-- Columns are as the rows as long as all stamps of their span together, by exclusive or, are the same.

-- As transactions add them: no two of them wait for each other.
create table new_stamps (
  site_no integer not null,
  -- Sessions with their hits, by the start of the session; or events of the service, by their own time.
  kind text not null check (kind in ('sessions', 'service')),
  -- A minute, an hour or a day UTC: the older the change, the longer.
  starts_at timestamptz not null,
  minutes integer not null,
  stamp bigint not null
);
create index new_stamps_of_site on new_stamps (site_no);

-- One for each span: the scheduler moves the new ones here, and those of minutes and hours that have become old to longer spans.
create table stamps (
  site_no integer not null,
  kind text not null,
  starts_at timestamptz not null,
  minutes integer not null,
  stamp bigint not null,
  primary key (site_no, kind, starts_at, minutes)
) with (fillfactor = 70);

-- Columns are used from then on: until then, processes of the version before may change rows without a stamp.
create table stamp_start (
  only_row boolean primary key default true check (only_row),
  stamped_from timestamptz not null
);
insert into stamp_start (stamped_from)
select case when exists (select from sites) then now() + interval '30 minutes' else '-infinity' end;
