import type { Queryable } from '../../db/connect.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'

/** Metrics in the order of answers; each is a column of `web_vitals`. */
export const VITALS = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const
export type Vital = (typeof VITALS)[number]

export interface VitalOptions {
  /** Becomes the column `measure`, its attribution `target` and `phase`; empty where the metric has none. */
  metric: Vital
  /** Only measures above this one, in the unit of the column. */
  above?: number
}

const TARGETS: Partial<Record<Vital, string>> = { lcp: 'lcp_target', inp: 'inp_target', cls: 'cls_target' }
const PHASES: Partial<Record<Vital, string>> = {
  lcp: 'lcp_phase',
  inp: 'inp_phase',
  fcp: 'fcp_phase',
  ttfb: 'ttfb_phase',
}

/**
 * Source of web vitals, under the name `events`, with the columns of their pageviews that filters use; with a session slice, only
 * those of its sessions.
 */
export function vitalsOf(db: Queryable, { slice }: ResolvedQuery, vital: VitalOptions | undefined): Fragment {
  const column = (name: string | undefined) => (name ? db`${db(name)}` : db`''::text`)
  return db`(
    select *, ''::text as name, false as is_service
      ${
        vital
          ? db`, ${db(vital.metric)} as measure, ${column(TARGETS[vital.metric])} as target, ${column(PHASES[vital.metric])} as phase`
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
