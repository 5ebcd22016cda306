-- Conflicts of a goal of site $1 with the name $3 and the definition $4 to $8 ($8: JSON as text) with the other goals.
-- $2: the id of the goal itself, null for a new goal. Always one row, also for a site without goals.
select
  count(*)::int as count,
  coalesce(bool_or(display_name = $3::text), false) as "isNameTaken",
  coalesce(bool_or(
    type = $4::text
    and match_value is not distinct from $5::text
    and match_operator = $6::text
    and scroll_threshold = $7::int
    and custom_props = $8::text::jsonb
  ), false) as "hasTwin"
from goals
where site_no = $1 and id is distinct from $2::uuid
