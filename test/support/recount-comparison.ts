import { DateTime } from 'luxon'
import {
  addDays,
  dayStart,
  daysBetween,
  hourBefore,
  localDate,
  nextHour,
  type Period,
  periodOf,
} from './recount-days.ts'

/** The period that a range is compared with, from docs/metrics.md "Comparison". */

/** Days of the site's zone, Y-m-d; `period` when they are not whole. */
export interface Days {
  from: string
  to: string
  period?: Period
}

export interface Compare {
  compare: 'previous' | 'previous_year' | 'custom'
  compare_from?: string
  compare_to?: string
  match_weekday?: boolean
  /** Unix ms. */
  now: number
}

const isHours = ({ period }: Days): boolean => period !== undefined

/** The clock hours that end with the one that contains a moment. */
export function lastHours(zone: string, now: number, count: number): Required<Days> {
  const end = nextHour(zone, now)
  let start = end
  for (let hour = 0; hour < count; hour++) start = hourBefore(zone, start)
  return { from: localDate(zone, start), to: localDate(zone, end - 1), period: { start, end } }
}

/** The days before, or the clock hours before. */
export function before(zone: string, { from, to, period }: Days): Days {
  if (period) return lastHours(zone, period.start - 1, 24)
  return { from: addDays(from, -(daysBetween(from, to) + 1)), to: addDays(from, -1) }
}

export function comparedDays(zone: string, range: Days, given: Compare): Days {
  const { compare, match_weekday: matchesWeekday = false, now } = given
  if (compare === 'custom') return { from: given.compare_from!, to: given.compare_to! }
  const days = isHours(range) ? 1 : daysBetween(range.from, range.to) + 1
  const moved = (date: string) => {
    if (compare === 'previous') return addDays(date, -(matchesWeekday ? Math.ceil(days / 7) * 7 : days))
    if (matchesWeekday) return addDays(date, -52 * 7)
    return DateTime.fromISO(date, { zone: 'utc' }).minus({ years: 1 }).toFormat('yyyy-MM-dd')
  }
  if (range.period) {
    if (compare === 'previous' && !matchesWeekday) return before(zone, range)
    return lastHours(zone, hourEnd(zone, moved(range.to), hourAt(zone, range.period.end - 1)) - 1, 24)
  }
  const compared = { from: moved(range.from), to: moved(range.to) }
  const today = localDate(zone, now)
  if (range.from !== today || range.to !== today) return compared
  const end = hourEnd(zone, compared.to, hourAt(zone, now))
  return { ...compared, period: { ...periodOf(zone, compared.from, compared.to), end } }
}

const hourAt = (zone: string, at: number) => DateTime.fromMillis(at, { zone }).hour

/** When clocks first show a later hour than this on a date, or the end of the date. */
function hourEnd(zone: string, date: string, hour: number): number {
  const end = dayStart(zone, addDays(date, 1))
  for (let at = dayStart(zone, date); at < end; at = nextHour(zone, at)) {
    if (hourAt(zone, at) > hour) return at
  }
  return end
}
