-- No row when user $2 is not in team $1, or when the token $7 through which it is made (null: none) does not exist any more.
insert into tokens (team_id, user_id, name, hash, site_ids, expires_at, created_by, made_through)
select users.team_id, users.id, $3, $4, $5, $6, maker.id, coalesce(maker.made_through || maker.id, '{}')
from users
left join tokens as maker on maker.id = $7::uuid and maker.user_id = users.id
where users.team_id = $1 and users.id = $2 and ($7::uuid is null or maker.id is not null)
returning
  id,
  name,
  site_ids as "siteIds",
  expires_at as "expiresAt",
  created_by as "createdBy",
  last_used_at as "lastUsedAt",
  created_at as "createdAt"
