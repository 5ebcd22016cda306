-- The oldest of that name.
select id
from teams
where name = $1
order by created_at, id
limit 1
