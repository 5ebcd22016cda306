-- All due rules of the sites whose rules wait longest, at most `sites` sites.
select
  rule.id, rule.site_no as "siteNo", rule.name, rule.kind, rule.condition, rule.goal_id as "goalId", rule.emails,
  rule.endpoint_ids as "endpointIds", rule.is_enabled as "isEnabled", rule.active_since as "activeSince",
  rule.checked_at as "checkedAt", rule.clear_since as "clearSince", rule.created_at as "createdAt",
  (select opened_at from alert_incidents where rule_id = rule.id and resolved_at is null) as "openedAt",
  sites.id as "siteId", sites.domain, sites.timezone, sites.currency, sites.first_event_at as "firstEventAt",
  sites.imported_until as "importedUntil",
  (select display_name from goals where goals.id = rule.goal_id) as "goalName"
from (
  select waiting.site_no
  from alert_rules as waiting
  join sites on sites.site_no = waiting.site_no and sites.deleted_at is null
  where waiting.is_enabled and (waiting.checked_at is null or waiting.checked_at <= :before::timestamptz)
  group by waiting.site_no
  order by min(coalesce(waiting.checked_at, '-infinity')), waiting.site_no
  limit :sites::int
) as due
join alert_rules as rule on rule.site_no = due.site_no
join sites on sites.site_no = due.site_no
where rule.is_enabled and (rule.checked_at is null or rule.checked_at <= :before::timestamptz)
