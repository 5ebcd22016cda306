-- All due rules of the sites whose rules wait longest, at most `sites` sites.
with
  due as materialized (
    select waiting.site_no
    from alert_rules as waiting
    join sites on sites.site_no = waiting.site_no and sites.deleted_at is null
    join teams on teams.id = sites.team_id
    where
      waiting.is_enabled
      and (waiting.checked_at is null or waiting.checked_at <= :before::timestamptz or waiting.checked_at > :tooFar::timestamptz)
      and (teams.plan = 'active' or teams.plan = 'trial' and teams.trial_ends_at > :now::timestamptz)
    group by waiting.site_no
    order by min(coalesce(waiting.checked_at, '-infinity')), waiting.site_no
    limit :sites::int
  )
select
  rule.id, rule.site_no as "siteNo", rule.name, rule.kind, rule.condition, rule.goal_id as "goalId", rule.emails,
  rule.endpoint_ids as "endpointIds", rule.is_enabled as "isEnabled", rule.active_since as "activeSince",
  rule.checked_at as "checkedAt", rule.clear_since as "clearSince", rule.judged_at as "judgedAt", rule.tested_at as "testedAt",
  rule.created_at as "createdAt",
  (select opened_at from alert_incidents where rule_id = rule.id and resolved_at is null) as "openedAt",
  sites.id as "siteId", sites.domain, sites.timezone, sites.currency, sites.first_event_at as "firstEventAt",
  sites.imported_until as "importedUntil",
  (select display_name from goals where goals.id = rule.goal_id) as "goalName",
  rule.kind = 'goal' and exists (
    select
    from goal_candidates
    where goal_candidates.site_no = rule.site_no and noted_at < :unmatchedBefore::timestamptz
  ) as "hasUnmatchedHits"
from due
join alert_rules as rule on rule.site_no = due.site_no
join sites on sites.site_no = due.site_no
where
  rule.is_enabled
  and (rule.checked_at is null or rule.checked_at <= :before::timestamptz or rule.checked_at > :tooFar::timestamptz)
