-- User of token $4, if `list-tokens` with the same $1, $2 and $3 returns this token.
select user_id as "userId"
from tokens
where
  team_id = $1
  and ($2::uuid is null or user_id = $2)
  and ($3::uuid[] is null or site_ids <@ $3)
  and id = $4
