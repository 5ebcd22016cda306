-- Where each of `asked.titles` was seen by its latest hit, whose time is the one of `asked.times`.
select distinct on (title) title, path, hostname
from kept_hits
join (select unnest(titles) as title, unnest(times) as at from asked) as newest using (title, at)
where not is_service
order by title, id desc
