-- The session of a secret, with its login and the login's membership of team :teamId, else of the team that it joined first. Without such a
-- membership, the columns of `member` and `teams` are null.
select
  sessions.id as "sessionId",
  logins.id as "loginId",
  logins.email,
  logins.name,
  sessions.authenticated_at as "authenticatedAt",
  sessions.must_renew as "mustRenew",
  sessions.hash = :hash as "isCurrent",
  sessions.last_used_at as "lastUsedAt",
  member.id as "userId",
  member.team_id as "teamId",
  member.role,
  member.site_ids as "siteIds",
  teams.plan,
  teams.trial_ends_at as "trialEndsAt"
from browser_sessions as sessions
join logins on logins.id = sessions.login_id
left join lateral (
  select users.id, users.team_id, users.role, users.site_ids
  from users
  where users.login_id = logins.id and (:teamId::uuid is null or users.team_id = :teamId)
  order by users.created_at, users.id
  limit 1
) as member on true
-- After the limit: inside, a plan without statistics would read all teams.
left join teams on teams.id = member.team_id
where
  (sessions.hash = :hash or (sessions.previous_hash = :hash and sessions.previous_until > :now))
  and sessions.expires_at > :now
  and logins.disabled_at is null
