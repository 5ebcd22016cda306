-- A file of the daily export is one of a site and date: a change of the time zone moves the days, and leaves the files. So a row stands
-- for a file, and knows the zone whose days it has.
alter table exported_days add column day date, add column timezone text;
update exported_days
set day = (starts_at at time zone sites.timezone)::date, timezone = sites.timezone
from sites
where sites.site_no = exported_days.site_no;
delete from exported_days
where day is null or exists (
  select from exported_days as newer
  where newer.site_no = exported_days.site_no and newer.day = exported_days.day
    and (newer.exported_at, newer.starts_at) > (exported_days.exported_at, exported_days.starts_at)
);
alter table exported_days
  alter column day set not null,
  alter column timezone set not null,
  drop constraint exported_days_pkey,
  add primary key (site_no, day);
