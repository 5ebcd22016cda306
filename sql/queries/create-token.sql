-- No row when the user ($2) is not of the team ($1).
insert into tokens (team_id, user_id, name, hash, site_ids, expires_at)
select users.team_id, users.id, $3, $4, $5, $6
from users
where users.team_id = $1 and users.id = $2
returning
  id,
  name,
  site_ids as "siteIds",
  expires_at as "expiresAt",
  last_used_at as "lastUsedAt",
  created_at as "createdAt"
