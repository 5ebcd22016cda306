-- Whoever adds a site to the team ($1) waits here for whoever does so at the same time. Not `for update`, which
-- would also hold up everybody who only refers to the team.
select id
from teams
where id = $1
for no key update
