-- The oldest team with the name $1.
select id
from teams
where name = $1
order by created_at, id
limit 1
