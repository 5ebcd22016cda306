import type { Queryable } from '../../db/connect.ts'
import { VITALS_OF_PHASES, VITALS_OF_TARGETS, type Vital } from '../../dimensions/vitals.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'

export interface VitalOptions {
  /** Becomes the column `measure`, its attribution `target` and `phase`; empty where the metric has none. */
  metric: Vital
  /** Only measures above this one, in the unit of the column. */
  above?: number
}

/**
 * Source of web vitals, under the name `events`, with the columns of their pageviews that filters use; with a session slice, only
 * those of its sessions.
 */
export function vitalsOf(db: Queryable, { slice }: ResolvedQuery, vital: VitalOptions | undefined): Fragment {
  const text = (metrics: readonly Vital[], metric: Vital, kind: 'target' | 'phase') =>
    metrics.includes(metric) ? db`${db(`${metric}_${kind}`)}` : db`''::text`
  return db`(
    select *, ''::text as name, false as is_service
      ${
        vital
          ? db`, ${db(vital.metric)} as measure, ${text(VITALS_OF_TARGETS, vital.metric, 'target')} as target,
              ${text(VITALS_OF_PHASES, vital.metric, 'phase')} as phase`
          : db``
      }
    from web_vitals
    where true
      ${slice?.from ? db`and session_at >= ${slice.from}` : db``}
      ${slice?.to ? db`and session_at < ${slice.to}` : db``}
  ) as events`
}

/** Condition for reports that have the measure. */
export function whereMeasured(db: Queryable, vital: VitalOptions | undefined): Fragment {
  if (!vital) return db``
  return vital.above === undefined ? db`and measure is not null` : db`and measure > ${vital.above}::int`
}
