-- Number of the ids $2 that are sites of team $1.
select count(*)::int as count
from sites
where team_id = $1 and id = any($2::uuid[]) and deleted_at is null
