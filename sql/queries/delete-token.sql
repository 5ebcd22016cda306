-- Deletes token $4 if `list-tokens` with the same $1, $2 and $3 returns it. With $5 true, also deletes those of its tokens that
-- were made through it. With $5 false, removes it from made_through of those tokens.
with gone as (
  delete from tokens
  where
    team_id = $1
    and ($2::uuid is null or user_id = $2)
    and ($3::uuid[] is null or site_ids <@ $3)
    and (id = $4 or ($5::boolean and made_through @> array[$4::uuid]))
  returning id, user_id
),
orphaned as (
  update tokens
  set made_through = array_remove(tokens.made_through, gone.id)
  from gone
  where
    not $5::boolean
    and tokens.user_id = gone.user_id
    and tokens.made_through @> array[gone.id]
)
select id
from gone
