-- Goals of site $1, the newest first. $2: the ids to return, null for all.
select
  id,
  display_name as "displayName",
  type,
  match_value as "matchValue",
  match_operator as "matchOperator",
  scroll_threshold as "scrollThreshold",
  currency,
  custom_props as "customProps",
  created_at as "createdAt"
from goals
where site_no = $1 and ($2::uuid[] is null or id = any($2))
order by goal_no desc
