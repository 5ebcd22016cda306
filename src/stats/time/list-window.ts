import { localDay, startOfDay, startOfHour, startOfNextHour } from '../../infra/local-time.ts'
import type { Bucket } from './range.ts'

export const LIST_PERIODS = ['24h', '7d', '30d'] as const
export type ListPeriod = (typeof LIST_PERIODS)[number]

/** All instants are multiples of 15 minutes; both windows are half-open and meet at `start`. */
export interface ListWindow {
  /** Always 24, 7 or 30. A day that local clocks left out is there with no length. */
  buckets: Bucket[]
  start: Date
  end: Date
  previousStart: Date
  previousEnd: Date
}

/**
 * What the list of sites shows: the 24 local clock hours that end with the running one, or the local
 * days that end today; and the same number of hours or days just before.
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

/** The `2 × count + 1` instants that bound twice as many buckets as the window has. */
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
