import type { Inputs, Outputs } from '../../api/client.ts'
import { type Format, useFormat } from '../../format/format.ts'

export type Vital = Inputs['stats']['webVitalsTimeseries']['metric']
export type Measured = Outputs['stats']['webVitals'][Vital]

/** Values up to `good` are good, those above `poor` are poor, in the units of the API. Checked by types: none is missing. */
export const LIMITS = {
  lcp: { good: 2_500, poor: 4_000 },
  inp: { good: 200, poor: 500 },
  cls: { good: 0.1, poor: 0.25 },
  fcp: { good: 1_800, poor: 3_000 },
  ttfb: { good: 800, poor: 1_800 },
} as const satisfies Record<Vital, { good: number; poor: number }>

export const VITALS = Object.keys(LIMITS) as Vital[]

export type Rating = 'good' | 'needsImprovement' | 'poor'

export function ratingOf(metric: Vital, value: number): Rating {
  if (value <= LIMITS[metric].good) return 'good'
  return value <= LIMITS[metric].poor ? 'needsImprovement' : 'poor'
}

/** Returns how values of a metric are written: `1.38 s`, `263 ms`, `0.11`. */
export function useVitalText(): (metric: Vital, value: number | null) => string {
  const format = useFormat()
  return (metric, value) => (value === null ? '–' : write(format, metric, value))
}

function write({ decimal, exact }: Format, metric: Vital, value: number): string {
  if (metric === 'cls') return decimal(value)
  return value < 1_000 ? `${exact(value)} ms` : `${decimal(value / 1_000)} s`
}
