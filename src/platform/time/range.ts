import * as z from 'zod'
import { invalidField } from '../errors.ts'
import { DAY_MS } from '../lib/time.ts'
import {
  dayOf,
  firstOfMonth,
  formatDay,
  formatInstant,
  isCalendarDate,
  type LocalDay,
  localDay,
  mondayOf,
  startOfDay,
  startOfHourBefore,
  startOfNextHour,
} from './local-time.ts'
import { daysOf, RANGE_PRESETS, type RangePreset } from './presets.ts'

const GROUPS = ['hour', 'day', 'week', 'month'] as const

export type Group = (typeof GROUPS)[number]

/** Whole days or clock hours in a site's time zone. The bounds of the time span are multiples of 15 minutes. */
export interface Range extends TimeSpan {
  zone: string
  /** First and last day, `Y-m-d`, both included: the local dates of the first and the last hour. */
  from: string
  to: string
  /** Calendar days, both ends included; 1 for clock hours. */
  days: number
  /** Number of clock hours, for a range that is not whole days. */
  hours?: number
  group: Group
  /** Whether the request chose the group. */
  isGroupChosen?: boolean
}

/** Half-open: `[start, end)`. */
export interface TimeSpan {
  start: Date
  end: Date
}

/** Part of a range that a series has one value for. */
export type Bucket = TimeSpan

/** Returns the time span in Unix milliseconds, the form that thread tasks use. */
export const toWindow = ({ start, end }: TimeSpan): { start: number; end: number } => ({
  start: start.getTime(),
  end: end.getTime(),
})

/** Returns where the buckets of a series begin, for `width_bucket`. */
export const boundsOf = (buckets: readonly Bucket[]): Date[] => buckets.map(({ start }) => start)

export interface LabelledBucket extends Bucket {
  /** ISO 8601 bucket start with the site's UTC offset. */
  label: string
}

const dateMessage = 'must be one calendar date of the years 1970 to 9998, written YYYY-MM-DD'

export const CalendarDate = z
  .string({ error: dateMessage })
  .refine(isCalendarDate, { error: dateMessage })
  .meta({ format: 'date' })

const endMessage = `${dateMessage}, or a moment of these years: ISO 8601 with its offset, or Unix milliseconds`
const Moment = z.iso.datetime({ offset: true })
const FIRST_MS = Date.parse('1970-01-01T00:00:00Z')
const AFTER_MS = Date.parse('9999-01-01T00:00:00Z')

/** Returns the Unix milliseconds of a moment as text; undefined for anything else, such as a calendar date. */
function momentOf(text: string): number | undefined {
  const at = /^\d{1,15}$/.test(text)
    ? Number(text)
    : Moment.safeParse(text).success
      ? Date.parse(text)
      : Number.NaN
  // A day is left at both ends: the zone of the site decides about the date.
  return at >= FIRST_MS + DAY_MS && at < AFTER_MS - DAY_MS ? at : undefined
}

/** First or last day of a range: a calendar date, or a moment, which stands for the day of the site in which it lies. */
const RangeEnd = z
  .string({ error: endMessage })
  .refine(value => isCalendarDate(value) || momentOf(value) !== undefined, { error: endMessage })

const dayIn = (zone: string, end: string): LocalDay => {
  const moment = momentOf(end)
  return moment === undefined ? dayOf(end) : localDay(zone, moment)
}

/** The query parameters of a range. A schema that uses them needs `checkRange` too. */
export const rangeFields = {
  // `checkRange` validates this: with `from` and `to` the value is ignored.
  range: z
    .custom<RangePreset>()
    .default('today')
    .meta({
      type: 'string',
      enum: [...RANGE_PRESETS],
      description: "Days of the site's time zone. Not looked at when `from` and `to` are given.",
    }),
  from: RangeEnd.optional().meta({
    description:
      'First day; needs `to`. A date, or a moment (ISO 8601 with its offset, or Unix milliseconds): the day of the site in which it lies.',
    example: '2026-03-01',
  }),
  to: RangeEnd.optional().meta({
    description: 'Last day, included; needs `from`. Written like it.',
    example: '2026-03-31',
  }),
}

/** The query parameter of every series that chooses the size of its buckets; `resolveRange` uses it. */
export const groupField = {
  group: z.enum(GROUPS).optional().meta({
    description: 'Size of the buckets. By default it follows from the number of days. At most 3,000 buckets.',
  }),
}

/** Checks the three parameters together; for `superRefine`. */
export function checkRange(
  query: { range: unknown; from?: string | undefined; to?: string | undefined },
  context: z.RefinementCtx,
): void {
  const { range, from, to } = query
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })

  if (from !== undefined && to !== undefined) {
    const [first, last] = [momentOf(from), momentOf(to)]
    if ((first === undefined) !== (last === undefined))
      refuse('from', 'must be written like to: both as YYYY-MM-DD, or both as moments')
    else if (first !== undefined ? first > last! : from > to) refuse('from', 'must not be later than to')
    return
  }
  if (from !== undefined) refuse('to', 'is required when from is given')
  if (to !== undefined) refuse('from', 'is required when to is given')
  if (!RANGE_PRESETS.some(preset => preset === range)) {
    refuse('range', `must be one of ${RANGE_PRESETS.join(', ')}`)
  }
}

export const RangeQuery = z.object(rangeFields).superRefine(checkRange)
export type RangeQuery = z.infer<typeof RangeQuery>

export interface Clock {
  /** IANA name of the site's time zone. */
  zone: string
  now: Date
  firstEventAt: Date | null
}

/**
 * Returns the range of a valid query. `all` begins with the day of `firstEventAt`; without one it is today. `group` is that of the
 * query, by default the one for the number of days.
 */
export function resolveRange(
  { group, ...query }: RangeQuery & { group?: Group | undefined },
  clock: Clock,
): Range {
  const range = rangeWithin(query, clock)
  return group ? { ...range, group, isGroupChosen: true } : range
}

function rangeWithin({ range, from, to }: RangeQuery, { zone, now, firstEventAt }: Clock): Range {
  if (from !== undefined && to !== undefined) return wholeDays(zone, dayIn(zone, from), dayIn(zone, to))
  if (range === 'last_24_hours') return clockHours(zone, startOfNextHour(zone, now.getTime()), 24, 'hour')
  const today = localDay(zone, now.getTime())
  const [first, last] = daysOf(range, today, localDay(zone, (firstEventAt ?? now).getTime()))
  return wholeDays(zone, first, last, range === 'last_12_months' ? 'month' : undefined)
}

function groupFor(days: number): Group {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 366 ? 'week' : 'month'
}

// Without this bound, the period before a range of thousands of years would begin at dates that PostgreSQL cannot store.
const EARLIEST = dayOf('1900-01-01')

/** Returns the range of whole days from `first` to `last`, both included. */
export function wholeDays(
  zone: string,
  first: LocalDay,
  last: LocalDay,
  group = groupFor(last - first + 1),
): Range {
  const from = Math.max(first, EARLIEST)
  return {
    zone,
    from: formatDay(from),
    to: formatDay(last),
    start: new Date(startOfDay(zone, from)),
    end: new Date(startOfDay(zone, last + 1)),
    days: last - first + 1,
    group,
  }
}

/** Returns the range of the clock hours that end at `end`, which is the end of an hour. */
export function clockHours(zone: string, end: number, hours: number, group: Group): Range {
  const start = startOfHourBefore(zone, end - 1, hours - 1)
  const dateAt = (at: number) => formatDay(localDay(zone, at))
  return {
    zone,
    from: dateAt(start),
    to: dateAt(end - 1),
    start: new Date(start),
    end: new Date(end),
    days: 1,
    hours,
    group,
  }
}

/** Returns the range of the same number of days, or of clock hours, just before, with the same group. */
export function previousRange({ zone, from, start, days, hours, group }: Range): Range {
  if (hours !== undefined) return clockHours(zone, start.getTime(), hours, group)
  const first = dayOf(from)
  return wholeDays(zone, first - days, first - 1, group)
}

const MOST_BUCKETS = 3_000

/** What helps against too many buckets, by the parameter that is named. */
const REMEDIES = {
  group: 'ask for larger ones, or for a shorter range',
  from: 'ask for a shorter range, or for larger ones with group',
  compare_from: 'compare with a shorter period, or ask for larger ones with group',
}

/** Days of a bucket, roughly. */
const DAYS_OF = { hour: 1 / 24, day: 1, week: 7, month: 30 }

/**
 * Returns the buckets of a range for a series.
 * @param field parameter that the error names; by default `group` if the request has it, otherwise `from`
 * @throws AppError `validation_failed` for more than 3,000 buckets
 */
export function seriesBuckets(
  range: Range,
  field: keyof typeof REMEDIES = range.isGroupChosen ? 'group' : 'from',
): LabelledBucket[] {
  // A range of millennia has millions of buckets: do not list them.
  const isFarTooLong = range.days > 2 * MOST_BUCKETS * DAYS_OF[range.group]
  const all = isFarTooLong ? [] : buckets(range)
  if (isFarTooLong || all.length > MOST_BUCKETS) {
    const most = `${MOST_BUCKETS.toLocaleString('en')} buckets`
    throw invalidField(field, `must leave at most ${most}: ${REMEDIES[field]}`)
  }
  return all
}

/**
 * Returns the buckets of a range, ascending and without gaps; weeks and months are cut at its ends.
 * A day that local clocks skipped (2011-12-30 in Apia) has no bucket.
 */
export function buckets(range: Range): LabelledBucket[] {
  const starts = bucketStarts(range)
  const result: LabelledBucket[] = []
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? range.end.getTime()
    if (start === end) continue
    result.push({ label: formatInstant(range.zone, start), start: new Date(start), end: new Date(end) })
  }
  return result
}

function bucketStarts({ zone, from, to, start, end, group }: Range): number[] {
  const starts: number[] = []
  if (group === 'hour') {
    for (let at = start.getTime(); at < end.getTime(); at = startOfNextHour(zone, at)) starts.push(at)
    return starts
  }
  const first = dayOf(from)
  const last = dayOf(to)
  for (let day = first; day <= last; day = nextGroup(day, group)) {
    starts.push(Math.max(startOfDay(zone, day), start.getTime()))
  }
  return starts
}

function nextGroup(day: LocalDay, group: 'day' | 'week' | 'month'): LocalDay {
  if (group === 'day') return day + 1
  return group === 'week' ? mondayOf(day) + 7 : firstOfMonth(day, 1)
}
