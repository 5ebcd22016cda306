-- Path and hostname of the latest hit of each of `asked.titles`, whose time is known from `asked.times`.
select distinct on (title) title, path, hostname
from filtered_hits
join (select unnest(titles) as title, unnest(times) as at from asked) as newest using (title, at)
where not is_service
order by title, id desc
