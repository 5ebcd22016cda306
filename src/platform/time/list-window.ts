import { localDay, startOfDay, startOfHour, startOfNextHour } from './local-time.ts'
import type { Bucket } from './range.ts'

export const LIST_PERIODS = ['24h', '7d', '30d'] as const
export type ListPeriod = (typeof LIST_PERIODS)[number]

/** All instants are multiples of 15 minutes; both windows are half-open and meet at `start`. */
export interface ListWindow {
  /** Always 24, 7 or 30 buckets. A day that local clocks skipped is a bucket of length 0. */
  buckets: Bucket[]
  start: Date
  end: Date
  previousStart: Date
  previousEnd: Date
}

/**
 * Returns the time window of the site list: the 24 local clock hours up to and including the current one, or the local days up
 * to and including today; and the same number of hours or days just before.
 */
export function listWindow(period: ListPeriod, zone: string, now: Date): ListWindow {
  const count = { '24h': 24, '7d': 7, '30d': 30 }[period]
  const bounds =
    period === '24h' ? hourBounds(zone, now.getTime(), count) : dayBounds(zone, now.getTime(), count)
  const at = (index: number) => new Date(bounds[index]!)
  return {
    buckets: Array.from({ length: count }, (_, i) => ({ start: at(count + i), end: at(count + i + 1) })),
    start: at(count),
    end: at(2 * count),
    previousStart: at(0),
    previousEnd: at(count),
  }
}

/** Returns the `2 × count + 1` bounds of `2 × count` buckets: those of the window and those of the window before. */
function hourBounds(zone: string, now: number, count: number): number[] {
  const bounds = [startOfNextHour(zone, now)]
  let at = now
  while (bounds.length <= 2 * count) {
    const start = startOfHour(zone, at)
    bounds.push(start)
    at = start - 1
  }
  return bounds.reverse()
}

function dayBounds(zone: string, now: number, count: number): number[] {
  const tomorrow = localDay(zone, now) + 1
  return Array.from({ length: 2 * count + 1 }, (_, i) => startOfDay(zone, tomorrow - 2 * count + i))
}
