import { DateTime } from 'luxon'

/** Days and clock hours of a site's zone, for the recounts. */

/** Half open, unix ms. */
export interface Period {
  start: number
  end: number
}

/** Unix ms at which the local day begins. */
export function dayStart(zone: string, date: string): number {
  const start = DateTime.fromISO(date, { zone }).startOf('day')
  if (!start.isValid) throw new Error(`no such day: ${date} in ${zone}`)
  return start.toMillis()
}

export function localDate(zone: string, at: number): string {
  return DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd')
}

/**
 * Whether a local clock hour begins: the clock reads a full hour, or has just jumped into another hour. Where clocks
 * move by 30 minutes an hour may so take 30 or 90 minutes.
 */
function beginsHour(zone: string, at: number): boolean {
  const local = DateTime.fromMillis(at, { zone })
  return local.minute === 0 || local.hour !== DateTime.fromMillis(at - 1, { zone }).hour
}

const quarterHourMs = 15 * 60_000

/** When the next local clock hour begins, after a moment. */
export function nextHour(zone: string, at: number): number {
  let next = Math.floor(at / quarterHourMs) * quarterHourMs + quarterHourMs
  while (!beginsHour(zone, next)) next += quarterHourMs
  return next
}

/** When the last local clock hour has begun, before a moment at which one begins. */
export function hourBefore(zone: string, at: number): number {
  let before = at - quarterHourMs
  while (!beginsHour(zone, before)) before -= quarterHourMs
  return before
}

/** `1-00` … `7-23`: ISO weekday and hour that local clocks show. */
export const hourOfWeek = (zone: string, at: number): string =>
  DateTime.fromMillis(at, { zone }).toFormat('c-HH')

export function isWithin({ start, end }: Period, at: number): boolean {
  return start <= at && at < end
}

/** From the first day to the last, Y-m-d, of the site's zone. */
export function periodOf(zone: string, from: string, to: string): Period {
  return { start: dayStart(zone, from), end: dayStart(zone, addDays(to, 1)) }
}

// Dates without a time are reckoned in UTC, where every day has 24 hours.

export function addDays(date: string, days: number): string {
  return DateTime.fromISO(date, { zone: 'utc' }).plus({ days }).toFormat('yyyy-MM-dd')
}

export function daysBetween(from: string, to: string): number {
  return DateTime.fromISO(to, { zone: 'utc' }).diff(DateTime.fromISO(from, { zone: 'utc' }), 'days').days
}
