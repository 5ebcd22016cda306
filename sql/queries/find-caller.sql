-- The token with the SHA-256 $1, with the rights of its user and its team.
select
  tokens.id as "tokenId",
  tokens.team_id as "teamId",
  tokens.user_id as "userId",
  users.role,
  tokens.site_ids as "siteIds",
  teams.plan,
  teams.trial_ends_at as "trialEndsAt",
  tokens.expires_at as "expiresAt",
  tokens.last_used_at as "lastUsedAt"
from tokens
join users on users.id = tokens.user_id
join teams on teams.id = tokens.team_id
where tokens.hash = $1
