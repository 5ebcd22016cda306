-- Makes transactions that add a site to team $1 run one after the other. Not `for update`: it would also block transactions that
-- only refer to the team.
select id
from teams
where id = $1
for no key update
