-- What every error of a site is, whenever it occurred. An error is its message: the id is a UUID made of site and message.
create table error_groups (
  site_no integer not null,
  error_id uuid not null,
  message text not null,
  -- The first name that was captured; `Error` until there is one.
  name text not null,
  primary key (site_no, error_id)
);
insert into error_groups (site_no, error_id, message, name)
select
  site_no,
  error_id,
  min(error_message),
  coalesce((array_agg(name order by at, id) filter (where name <> 'Error'))[1], 'Error')
from events
where type = 'error' and error_id is not null
group by site_no, error_id;
