-- Where each title was seen last by a hit of the slice.
select distinct on (title) title, path, hostname
from kept_hits
join (select title, max(at) as at from kept_hits where not is_service group by title) as newest using (title, at)
where not is_service
order by title, id desc
