-- $8: JSON as text.
insert into goals (
  site_no, display_name, type, match_value, match_operator, scroll_threshold, currency, custom_props
)
values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb)
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
