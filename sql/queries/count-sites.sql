select count(*)::int as count
from sites
where team_id = $1 and deleted_at is null
