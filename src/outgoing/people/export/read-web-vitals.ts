import { query } from '../../../platform/db/query.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import type { Person } from './read-visits.ts'

export interface WebVitalsRow {
  id: string
  session: number
  at: Date
  receivedAt: Date
  hostname: string
  path: string
  lcp: number | null
  inp: number | null
  /** Ten-thousandths. */
  cls: number | null
  fcp: number | null
  ttfb: number | null
  lcp_target: string
  inp_target: string
  cls_target: string
  lcp_phase: string
  inp_phase: string
  fcp_phase: string
  ttfb_phase: string
}

/** Web vitals of a person in a time span, in order after a place. */
export const selectWebVitals = query<
  Person & TimeSpan & { afterAt: Date; afterKey: string; limit: number },
  WebVitalsRow
>('export-web-vitals')
