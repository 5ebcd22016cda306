import { HOUR_MS } from '../../../platform/lib/time.ts'
import type { Condition } from './conditions.ts'

/** What is known of a site at the time of a check. */
export interface Measured {
  /** Of the last four quarters of an hour that are over. */
  lastHour: { visitors: number; pageviews: number; errors: number }
  /** The same hour of the weeks before in which the site had hits. */
  weeksBefore: { visitors: number; pageviews: number }[]
  conversions: number
  lostMrr: number
  mrrBefore: number
  /** Newest hit of the last week; undefined without one. */
  lastHitAt: number | undefined
}

export interface Verdict {
  /** Whether the condition is met; while an incident is open, whether it is still nearly met. */
  isMet: boolean
  value: number
  /** What the value is compared with. */
  bound: number
}

/** Weeks that are needed to know what is usual. */
const FEWEST_WEEKS = 2

/**
 * Judges a condition. For an open incident the bound is softer, so that a value at the bound does not open and close it in turn; and
 * with less than the minimum to judge from, as at night, it stays open: few visits do not say that all is normal again.
 * @param isOpen whether an incident is open
 * @returns undefined when nothing can be said, which neither opens nor closes an incident
 */
export function judge(
  condition: Condition,
  measured: Measured,
  isOpen: boolean,
  now: number,
): Verdict | undefined {
  const { lastHour } = measured
  switch (condition.kind) {
    case 'traffic_spike':
    case 'traffic_drop': {
      const value = lastHour[condition.metric]
      const usual = median(measured.weeksBefore.map(week => week[condition.metric]))
      if (usual === undefined) return undefined
      // Half of the deviation ends it.
      const part = (condition.percent / 100) * (isOpen ? 0.5 : 1)
      if (condition.kind === 'traffic_spike') {
        const bound = usual * (1 + part)
        return { isMet: value >= (isOpen ? 0 : condition.minimum) && value > bound, value, bound }
      }
      const bound = usual * (1 - part)
      if (isOpen && usual < condition.minimum) return undefined
      return { isMet: usual >= condition.minimum && value <= bound, value, bound }
    }
    case 'error_rate': {
      const { errors, pageviews } = lastHour
      if (isOpen && pageviews < condition.minimum) return undefined
      const value = pageviews === 0 ? 0 : (100 * errors) / pageviews
      const bound = condition.percent * (isOpen ? 0.8 : 1)
      return { isMet: pageviews >= condition.minimum && value >= bound, value: round(value), bound }
    }
    case 'error_count': {
      const bound = condition.count * (isOpen ? 0.8 : 1)
      return { isMet: lastHour.errors >= bound, value: lastHour.errors, bound }
    }
    case 'goal': {
      const { count: bound, operator } = condition
      const value = measured.conversions
      return { isMet: operator === 'above' ? value > bound : value < bound, value, bound }
    }
    case 'mrr_churn': {
      const { lostMrr, mrrBefore } = measured
      if (condition.unit === 'amount') {
        return { isMet: lostMrr >= condition.value, value: lostMrr, bound: condition.value }
      }
      if (mrrBefore <= 0) return undefined
      const value = round((100 * lostMrr) / mrrBefore)
      return { isMet: value >= condition.value, value, bound: condition.value }
    }
    case 'no_hits': {
      const since = measured.lastHitAt ?? Number.NEGATIVE_INFINITY
      const hours = (now - since) / HOUR_MS
      const value = Number.isFinite(hours) ? Math.floor(hours) : 168
      return { isMet: hours >= condition.hours, value, bound: condition.hours }
    }
  }
}

const round = (value: number) => Math.round(100 * value) / 100

/** Undefined for fewer than two weeks. */
function median(values: number[]): number | undefined {
  if (values.length < FEWEST_WEEKS) return undefined
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
