import { query } from '../../../platform/db/query.ts'
import type { AlertKind, Condition } from './conditions.ts'

/** Why an incident is over. */
export const RESOLUTIONS = ['normal', 'goal_deleted', 'too_little_data', 'changed'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** No row when the rule has an open incident, or was changed since it was read. */
export const openIncident = query<
  {
    ruleId: string
    value: number
    bound: number
    text: string
    currency: string
    goalName: string | null
    now: Date
    activeSince: Date
  },
  { id: string }
>(
  'open-alert-incident',
  `insert into alert_incidents
    (rule_id, site_no, rule_name, kind, text, value, bound, condition, currency, goal_name, opened_at)
  select id, site_no, name, kind, :text, :value, :bound, condition, :currency, :goalName, :now
  from alert_rules
  where id = :ruleId and is_enabled and active_since = :activeSince
  on conflict (rule_id) where resolved_at is null do nothing
  returning id`,
)

export interface EndedIncident {
  id: string
  openedAt: Date
  text: string
  value: number
  bound: number
  /** null: of an incident from before these were kept. */
  condition: Condition | null
  currency: string | null
  goalName: string | null
}

/** An incident never ends before it began, whatever the clock does. */
export const resolveIncident = query<{ ruleId: string; resolution: string; now: Date }, EndedIncident>(
  'resolve-alert-incident',
  `update alert_incidents
  set resolved_at = greatest(:now::timestamptz, opened_at), resolution = :resolution
  where rule_id = :ruleId and resolved_at is null
  returning id, opened_at as "openedAt", text, value, bound, condition, currency, goal_name as "goalName"`,
)

export interface IncidentRow extends EndedIncident {
  ruleId: string
  ruleName: string
  kind: AlertKind
  resolvedAt: Date | null
  resolution: string | null
}

export const selectIncidents = query<{ siteNo: number; limit: number; offset: number }, IncidentRow>(
  'list-alert-incidents',
  `select
    id, rule_id as "ruleId", rule_name as "ruleName", kind, text, value, bound, condition, currency, goal_name as "goalName",
    opened_at as "openedAt", resolved_at as "resolvedAt", resolution
  from alert_incidents
  where site_no = :siteNo
  order by opened_at desc, id desc
  limit :limit::bigint
  offset :offset::bigint`,
)

export const countIncidents = query<{ siteNo: number }, { count: number }>(
  'count-alert-incidents',
  'select count(*)::int as count from alert_incidents where site_no = :siteNo',
)
