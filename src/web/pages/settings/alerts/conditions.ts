import type { Outputs } from '../../../api/types.ts'

export type Alert = Outputs['alerts']['list'][number]
export type Condition = Alert['condition']
export type Kind = Condition['kind']

/** Kinds of conditions in the order of the form, with the condition that a new alert has. */
export const NEW_CONDITIONS: { [Each in Kind]: Extract<Condition, { kind: Each }> } = {
  traffic_spike: { kind: 'traffic_spike', metric: 'visitors', percent: 200, minimum: 50 },
  traffic_drop: { kind: 'traffic_drop', metric: 'visitors', percent: 60, minimum: 50 },
  no_hits: { kind: 'no_hits', hours: 3 },
  error_rate: { kind: 'error_rate', percent: 5, minimum: 50 },
  error_count: { kind: 'error_count', count: 100 },
  goal: { kind: 'goal', goal: '', operator: 'above', count: 0, hours: 1 },
  mrr_churn: { kind: 'mrr_churn', unit: 'percent', value: 5, days: 7 },
}
export const KINDS = Object.keys(NEW_CONDITIONS) as Kind[]

/** Keys of the reads of one site's alerts. */
export const alertsKey = (siteId: string) => ['alerts', siteId]
