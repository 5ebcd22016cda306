-- Replaces the name and definition of goal $2 of site $1; no row when it was deleted. $9: JSON as text.
update goals
set
  display_name = $3,
  type = $4,
  match_value = $5,
  match_operator = $6,
  scroll_threshold = $7,
  currency = $8,
  custom_props = $9::text::jsonb
where site_no = $1 and id = $2
returning
  id,
  display_name as "displayName",
  type,
  match_value as "matchValue",
  match_operator as "matchOperator",
  scroll_threshold as "scrollThreshold",
  currency,
  custom_props as "customProps",
  created_at as "createdAt"
