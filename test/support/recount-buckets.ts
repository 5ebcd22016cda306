import { DateTime } from 'luxon'
import type { Days } from './recount-comparison.ts'
import { addDays, dayStart, daysBetween, isWithin, nextHour, type Period, periodOf } from './recount-days.ts'
import type { World } from './recount-world.ts'

/** The buckets of a time series. */

export type Group = 'hour' | 'day' | 'week' | 'month'

/** @param range the preset, when the days come from one */
function recountGroup(from: string, to: string, range?: string): Group {
  const days = daysBetween(from, to) + 1
  if (range === 'last_12_months') return 'month'
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 366 ? 'week' : 'month'
}

/** All buckets from the first day to the last, empty ones included; the first and last may be cut short. */
export function bucketsOf(zone: string, { from, to, period }: Days, group: Group): Period[] {
  const whole = period ?? periodOf(zone, from, to)
  if (whole.start >= whole.end) return []
  const starts = group === 'hour' ? hourStarts(zone, whole) : dayStarts(zone, from, to, group)
  return starts.map((start, index) => ({
    start: Math.max(start, whole.start),
    end: Math.min(starts[index + 1] ?? whole.end, whole.end),
  }))
}

function hourStarts(zone: string, { start, end }: Period): number[] {
  const starts: number[] = []
  for (let at = start; at < end; at = nextHour(zone, at)) starts.push(at)
  return starts
}

function dayStarts(zone: string, from: string, to: string, group: Group): number[] {
  const starts: number[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) {
    if (date === from || begins(date, group)) starts.push(dayStart(zone, date))
  }
  return starts
}

function begins(date: string, group: Group): boolean {
  if (group === 'week') return DateTime.fromISO(date, { zone: 'utc' }).weekday === 1
  return group === 'month' ? date.endsWith('-01') : true
}

/** ISO 8601 with the offset that holds there. */
export function labelsOf(zone: string, buckets: Period[]): string[] {
  return buckets.map(({ start }) =>
    DateTime.fromMillis(start, { zone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ", { locale: 'en-US' }),
  )
}

/** How many of the moments lie in each bucket. */
export function countsPerBucket(buckets: Period[], moments: number[]): number[] {
  return buckets.map(bucket => moments.filter(at => isWithin(bucket, at)).length)
}

export function bucketing({ zone }: World, query: Days & { range?: string; group?: Group }) {
  const group = query.group ?? recountGroup(query.from, query.to, query.range)
  const buckets = bucketsOf(zone, query, group)
  return { group, buckets, labels: labelsOf(zone, buckets) }
}
