import { IANAZone } from 'luxon'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'

/**
 * Calendar arithmetic in a site's time zone. Days are counted from 1970-01-01 (`LocalDay`). Instants are
 * Unix milliseconds; boundaries lie on quarter hours, like the stored buckets.
 *
 * luxon supplies offsets (5 µs each, hence the cache). Boundaries are computed here, because a day may
 * begin at 01:00 or not exist, and libraries do not specify their results for such wall times.
 */

const QUARTER_HOUR = 15 * MINUTE_MS

/** A calendar day as a number: days since 1970-01-01. */
export type LocalDay = number

// Since 1970 no zone has changed its offset twice within 6 days, so a span holds at most one change.
const SPAN = 4 * DAY_MS
const MAX_CACHED_SPANS = 50_000

// After the last rule with fixed years (Morocco's, until 2087), offsets repeat with the calendar every 400
// years. Without this, a range up to the year 9999 would need hundreds of thousands of offsets from luxon.
const REPEATS_FROM = Date.UTC(2100, 0, 1)
const CYCLE = 146_097 * DAY_MS

interface Span {
  before: number
  after: number
  changesAt: number
}

let cachedSpans = 0
const spansByZone = new Map<string, Map<number, Span>>()

function askOffset(zone: string, at: number): number {
  const minutes = IANAZone.create(zone).offset(at)
  if (Number.isNaN(minutes)) throw new RangeError(`No such time zone: ${zone}`)
  // Rounding changes only the offsets of Monrovia (until 1972) and Kiritimati (until 1979).
  return Math.round(minutes / 15) * QUARTER_HOUR
}

function readSpan(zone: string, start: number, spanBefore: Span | undefined): Span {
  const before = spanBefore?.after ?? askOffset(zone, start)
  const after = askOffset(zone, start + SPAN)
  if (before === after) return { before, after, changesAt: start + SPAN }
  let [low, high] = [0, SPAN / QUARTER_HOUR]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (askOffset(zone, start + middle * QUARTER_HOUR) === before) low = middle
    else high = middle
  }
  return { before, after, changesAt: start + high * QUARTER_HOUR }
}

/** Milliseconds that local clocks are ahead of UTC during the quarter hour that contains `at`. */
export function offsetAt(zone: string, at: number): number {
  const known = at < REPEATS_FROM ? at : REPEATS_FROM + ((at - REPEATS_FROM) % CYCLE)
  const quarter = Math.floor(known / QUARTER_HOUR) * QUARTER_HOUR
  const index = Math.floor(quarter / SPAN)
  let spans = spansByZone.get(zone)
  let span = spans?.get(index)
  if (!span) {
    span = readSpan(zone, index * SPAN, spans?.get(index - 1))
    if (cachedSpans >= MAX_CACHED_SPANS) {
      spansByZone.clear()
      cachedSpans = 0
      spans = undefined
    }
    if (!spans) {
      spans = new Map()
      spansByZone.set(zone, spans)
    }
    spans.set(index, span)
    cachedSpans += 1
  }
  return quarter < span.changesAt ? span.before : span.after
}

/** The calendar day that local clocks show at an instant. */
export function localDay(zone: string, at: number): LocalDay {
  return Math.floor((at + offsetAt(zone, at)) / DAY_MS)
}

/**
 * Returns the first instant at which local clocks show this day or a later one. This is usually midnight;
 * 01:00 where clocks skip midnight; the start of the next day for a day that the zone skipped.
 */
export function startOfDay(zone: string, day: LocalDay): number {
  // Offsets lie between −12 and +14 hours, so local midnight lies between these two.
  const earliest = day * DAY_MS - 15 * HOUR_MS
  const latest = day * DAY_MS + 13 * HOUR_MS
  const offset = offsetAt(zone, earliest)
  if (offset === offsetAt(zone, latest)) return day * DAY_MS - offset
  let at = earliest
  while (localDay(zone, at) < day) at += QUARTER_HOUR
  return at
}

/** True where a clock hour begins: clocks show :00, or the quarter hour before lies in another hour. */
function startsHour(zone: string, quarter: number): boolean {
  const local = quarter + offsetAt(zone, quarter)
  if (local % HOUR_MS === 0) return true
  const justBefore = quarter - QUARTER_HOUR
  return Math.floor(local / HOUR_MS) !== Math.floor((justBefore + offsetAt(zone, justBefore)) / HOUR_MS)
}

/**
 * Returns the start of the local clock hour that contains an instant. An hour that clocks show twice counts
 * as two hours; around a half-hour change of clocks (Lord Howe) an hour lasts 30 or 90 minutes.
 */
export function startOfHour(zone: string, at: number): number {
  let quarter = Math.floor(at / QUARTER_HOUR) * QUARTER_HOUR
  while (!startsHour(zone, quarter)) quarter -= QUARTER_HOUR
  return quarter
}

/** Start of the local clock hour after the one that contains an instant. */
export function startOfNextHour(zone: string, at: number): number {
  let quarter = Math.floor(at / QUARTER_HOUR + 1) * QUARTER_HOUR
  while (!startsHour(zone, quarter)) quarter += QUARTER_HOUR
  return quarter
}

/** Start of the local clock hour that begins `hours` clock hours before the one that contains an instant. */
export function startOfHourBefore(zone: string, at: number, hours: number): number {
  let start = startOfHour(zone, at)
  for (let hour = 0; hour < hours; hour++) start = startOfHour(zone, start - 1)
  return start
}

/** The hour that local clocks show at an instant, 0 to 23. */
export function clockHour(zone: string, at: number): number {
  const hours = Math.floor((at + offsetAt(zone, at)) / HOUR_MS)
  return ((hours % 24) + 24) % 24
}

/**
 * Returns the first instant of a day at which local clocks show a later hour than `hour` (0 to 23): after the second of two such
 * hours, at the change of clocks when they skip it, at the end of the day for 23.
 */
export function endOfClockHour(zone: string, day: LocalDay, hour: number): number {
  const end = startOfDay(zone, day + 1)
  let at = startOfDay(zone, day)
  while (at < end && clockHour(zone, at) <= hour) at += QUARTER_HOUR
  return Math.min(at, end)
}

/** Monday of the ISO week that contains a day. */
export function mondayOf(day: LocalDay): LocalDay {
  return day - ((((day + 3) % 7) + 7) % 7)
}

/** First day of the month that lies `months` after the month of a day; negative values go back. */
export function firstOfMonth(day: LocalDay, months = 0): LocalDay {
  const date = new Date(day * DAY_MS)
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  return date.getTime() / DAY_MS
}

/** 1 January of the year of a day. */
export function firstOfYear(day: LocalDay): LocalDay {
  return Date.UTC(new Date(day * DAY_MS).getUTCFullYear(), 0, 1) / DAY_MS
}

/** The same date of the year before; 28 February for 29 February. */
export function yearBefore(day: LocalDay): LocalDay {
  const date = new Date(day * DAY_MS)
  const month = date.getUTCMonth()
  date.setUTCFullYear(date.getUTCFullYear() - 1)
  if (date.getUTCMonth() !== month) date.setUTCDate(0)
  return date.getTime() / DAY_MS
}

/** Formats a day as `2026-03-29`, for the years 1 to 9999. */
export function formatDay(day: LocalDay): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The day of a valid `Y-m-d`. */
export function dayOf(date: string): LocalDay {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS
}

/** Returns whether a text is `Y-m-d` and a date of the calendar in the years 1970 to 9998. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const day = dayOf(text)
  // Date.parse turns 2026-02-30 into 2 March, so the formatted day must equal the text.
  // In some zones the end of 9999 lies in a UTC year that PostgreSQL cannot read from an ISO text.
  return day >= 0 && text < '9999' && formatDay(day) === text
}

/** Formats the local time at an instant with its offset from UTC: `2026-03-29T00:00:00+01:00`. */
export function formatInstant(zone: string, at: number): string {
  const offset = offsetAt(zone, at)
  const clock = new Date(at + offset).toISOString().slice(0, 19)
  const minutes = Math.abs(offset) / MINUTE_MS
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${clock}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
