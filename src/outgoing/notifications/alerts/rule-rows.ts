import { query } from '../../../platform/db/query.ts'
import type { AlertKind, Condition } from './conditions.ts'

export interface RuleRow {
  id: string
  siteNo: number
  name: string
  kind: AlertKind
  condition: Condition
  goalId: string | null
  emails: string[]
  endpointIds: string[]
  isEnabled: boolean
  activeSince: Date
  checkedAt: Date | null
  clearSince: Date | null
  /** When it could last be told whether the condition is met, or checks went on after an interruption. */
  judgedAt: Date | null
  testedAt: Date | null
  createdAt: Date
  /** Of the open incident. */
  openedAt: Date | null
}

const COLUMNS = `
  alert_rules.id, alert_rules.site_no as "siteNo", alert_rules.name, alert_rules.kind, alert_rules.condition,
  alert_rules.goal_id as "goalId", alert_rules.emails, alert_rules.endpoint_ids as "endpointIds",
  alert_rules.is_enabled as "isEnabled", alert_rules.active_since as "activeSince",
  alert_rules.checked_at as "checkedAt", alert_rules.clear_since as "clearSince",
  alert_rules.judged_at as "judgedAt", alert_rules.tested_at as "testedAt", alert_rules.created_at as "createdAt",
  (
    select opened_at from alert_incidents where rule_id = alert_rules.id and resolved_at is null
  ) as "openedAt"`

export const selectRules = query<{ siteNo: number; id: string | null }, RuleRow>(
  'select-alert-rules',
  `select ${COLUMNS}
  from alert_rules
  where site_no = :siteNo and (:id::uuid is null or id = :id)
  order by created_at, id`,
)

interface Written {
  name: string
  kind: AlertKind
  /** JSON */
  condition: string
  goalId: string | null
  emails: string[]
  endpointIds: string[]
}

export const insertRule = query<Written & { siteNo: number; now: Date }, RuleRow>(
  'insert-alert-rule',
  `insert into alert_rules (site_no, name, kind, condition, goal_id, emails, endpoint_ids, active_since, created_at)
  values (
    :siteNo, :name, :kind, :condition::text::jsonb, :goalId, :emails::text[], :endpointIds::uuid[], :now::timestamptz,
    :now::timestamptz
  )
  returning ${COLUMNS}`,
)

export const updateRule = query<Written & { id: string; isEnabled: boolean; activeSince: Date }, RuleRow>(
  'update-alert-rule',
  `update alert_rules
  set
    name = :name, kind = :kind, condition = :condition::text::jsonb, goal_id = :goalId, emails = :emails::text[],
    endpoint_ids = :endpointIds::uuid[], is_enabled = :isEnabled, active_since = :activeSince, checked_at = null,
    clear_since = null
  where id = :id
  returning ${COLUMNS}`,
)

export const deleteRule = query<{ id: string }>('delete-alert-rule', 'delete from alert_rules where id = :id')

/** Ends the incident of a rule that is changed, switched off or deleted, without a message. */
export const endIncident = query<{ ruleId: string; now: Date }>(
  'end-alert-incident',
  `update alert_incidents
  set resolved_at = greatest(:now::timestamptz, opened_at), resolution = 'changed'
  where rule_id = :ruleId and resolved_at is null`,
)

export interface DueRule extends RuleRow {
  siteId: string
  domain: string
  timezone: string
  currency: string
  firstEventAt: Date | null
  importedUntil: Date | null
  goalName: string | null
  /** Whether stored hits wait for longer than a moment to be compared with goals; for rules on a goal. */
  hasUnmatchedHits: boolean
}

/**
 * All due rules of the sites whose rules wait longest, of teams with an active plan. A time of the last check behind `tooFar` was
 * written by a clock that was wrong.
 */
export const selectDueRules = query<
  { before: Date; tooFar: Date; unmatchedBefore: Date; sites: number; now: Date },
  DueRule
>('select-due-alert-rules')

/** @param judged those that could be judged, or were not checked for a while */
export const markChecked = query<{ ids: string[]; judged: string[]; now: Date }>(
  'mark-alert-rules-checked',
  `update alert_rules
  set checked_at = :now, judged_at = case when id = any(:judged::uuid[]) then :now else judged_at end
  where id = any(:ids::uuid[])`,
)

export const setClearSince = query<{ id: string; at: Date | null }>(
  'set-alert-clear-since',
  'update alert_rules set clear_since = :at where id = :id',
)

/** Returns no row when there was a test since `before`. */
export const claimTest = query<{ id: string; now: Date; before: Date }, { id: string }>(
  'claim-alert-test',
  `update alert_rules
  set tested_at = :now
  where id = :id and (tested_at is null or tested_at <= :before::timestamptz or tested_at > :now)
  returning id`,
)
