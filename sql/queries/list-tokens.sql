-- Tokens of team $1, the newest first. $2: only tokens of this user, null for all users. $3: only tokens limited to some of these
-- sites, null for all tokens.
select
  id,
  name,
  site_ids as "siteIds",
  expires_at as "expiresAt",
  created_by as "createdBy",
  last_used_at as "lastUsedAt",
  created_at as "createdAt"
from tokens
where
  team_id = $1
  and ($2::uuid is null or user_id = $2)
  and ($3::uuid[] is null or site_ids <@ $3)
order by created_at desc, id
