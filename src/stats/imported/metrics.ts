import type { TotalsNumber } from './families.ts'
import type { TotalsSums } from './sums.ts'

interface ImportedMetric {
  /** Numbers that it is computed from: a table without one of them does not have it. */
  needs: readonly TotalsNumber[]
  /** Their sums. */
  sums: readonly (keyof TotalsSums)[]
}

/** Metrics that imported totals may have. */
export const IMPORTED_METRICS = {
  visitors: { needs: ['visitors'], sums: ['visitors'] },
  sessions: { needs: ['sessions'], sums: ['sessions'] },
  pageviews: { needs: ['pageviews'], sums: ['pageviews'] },
  views_per_visit: { needs: ['pageviews', 'sessions'], sums: ['viewsOfSessions', 'viewedSessions'] },
  bounce_rate: { needs: ['bounces', 'sessions'], sums: ['bounces', 'bounceSessions'] },
  avg_session_seconds: { needs: ['duration_seconds', 'sessions'], sums: ['durationMs', 'timedSessions'] },
  custom_events: { needs: ['events'], sums: ['events'] },
} satisfies Record<string, ImportedMetric>
export type ImportedMetricName = keyof typeof IMPORTED_METRICS

export const IMPORTED_METRIC_NAMES = Object.keys(IMPORTED_METRICS) as ImportedMetricName[]

/** @returns undefined for a metric that totals never have */
export const importedMetric = (name: string): ImportedMetric | undefined =>
  (IMPORTED_METRICS as Record<string, ImportedMetric>)[name]
