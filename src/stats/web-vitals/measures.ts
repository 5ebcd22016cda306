import type { Vital } from '../../platform/dimensions/vitals.ts'
import { ratio } from '../../platform/lib/numbers.ts'

/** How many reports have a measure. */
interface MeasureCount {
  measure: number
  reports: number
}

/**
 * Highest measures that are good and that are not poor, in the units in which they are stored: milliseconds, and ten-thousandths
 * for cls.
 * @see https://web.dev/articles/vitals#core-web-vitals
 */
const THRESHOLDS: Record<Vital, { good: number; fair: number }> = {
  lcp: { good: 2_500, fair: 4_000 },
  inp: { good: 200, fair: 500 },
  cls: { good: 1_000, fair: 2_500 },
  fcp: { good: 1_800, fair: 3_000 },
  ttfb: { good: 800, fair: 1_800 },
}

/** The measures above this one are poor. */
export const poorAbove = (metric: Vital): number => THRESHOLDS[metric].fair

export interface Measured {
  samples: number
  /** Null without samples. */
  p50: number | null
  p75: number | null
  p95: number | null
  /** Percent of the samples. */
  good: number
  needs_improvement: number
  poor: number
}

/**
 * Returns the numbers of reports.
 * @param counts of one metric, in any order; a measure may occur several times
 * @see docs/metrics.md "Web Vitals"
 */
export function summarize(metric: Vital, counts: readonly MeasureCount[]): Measured {
  const pairs = counts.toSorted((a, b) => a.measure - b.measure)
  const samples = pairs.reduce((sum, { reports }) => sum + reports, 0)
  const { good, fair } = THRESHOLDS[metric]
  const notAbove = (most: number) =>
    pairs.reduce((sum, { measure, reports }) => (measure <= most ? sum + reports : sum), 0)
  const [goodReports, notPoor] = [notAbove(good), notAbove(fair)]

  const percentile = (percent: number): number | null => {
    let seen = 0
    for (const { measure, reports } of pairs) {
      seen += reports
      if (100 * seen >= percent * samples) return metric === 'cls' ? measure / 10_000 : measure
    }
    return null
  }
  const share = (reports: number) => ratio(100 * reports, samples, 2)
  return {
    samples,
    p50: percentile(50),
    p75: percentile(75),
    p95: percentile(95),
    good: share(goodReports),
    needs_improvement: share(notPoor - goodReports),
    poor: share(samples - notPoor),
  }
}
