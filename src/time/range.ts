import * as z from 'zod'
import { invalidField } from '../errors.ts'
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
  startOfNextHour,
} from './local-time.ts'

/** First and last day of each preset. */
const PRESETS = {
  today: today => [today, today],
  yesterday: today => [today - 1, today - 1],
  last_7_days: today => [today - 6, today],
  last_30_days: today => [today - 29, today],
  this_month: today => [firstOfMonth(today), today],
  last_month: today => [firstOfMonth(today, -1), firstOfMonth(today) - 1],
  last_12_months: today => [firstOfMonth(today, -11), today],
  all: (today, firstEvent) => [Math.min(firstEvent, today), today],
} satisfies Record<string, (today: LocalDay, firstEvent: LocalDay) => [first: LocalDay, last: LocalDay]>
export type RangePreset = keyof typeof PRESETS
export const RANGE_PRESETS = Object.keys(PRESETS) as RangePreset[]

export type Group = 'hour' | 'day' | 'week' | 'month'

/** Whole days in a site's time zone. */
export interface Range extends TimeSpan {
  zone: string
  /** First and last day, `Y-m-d`, both included. The bounds of the time span are multiples of 15 minutes. */
  from: string
  to: string
  /** Calendar days, both ends included. */
  days: number
  group: Group
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
  from: CalendarDate.optional().meta({ description: 'First day; needs `to`.', example: '2026-03-01' }),
  to: CalendarDate.optional().meta({
    description: 'Last day, included; needs `from`.',
    example: '2026-03-31',
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
    if (from > to) refuse('from', 'must not be later than to')
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

interface Clock {
  /** IANA name of the site's time zone. */
  zone: string
  now: Date
  firstEventAt: Date | null
}

/** Returns the range of a valid query. `all` begins with the day of `firstEventAt`; without one it is today. */
export function resolveRange({ range, from, to }: RangeQuery, { zone, now, firstEventAt }: Clock): Range {
  if (from !== undefined && to !== undefined) {
    const [first, last] = [dayOf(from), dayOf(to)]
    return rangeOf(zone, first, last, groupFor(last - first + 1))
  }
  const [first, last] = PRESETS[range](
    localDay(zone, now.getTime()),
    localDay(zone, (firstEventAt ?? now).getTime()),
  )
  return rangeOf(zone, first, last, range === 'last_12_months' ? 'month' : groupFor(last - first + 1))
}

function groupFor(days: number): Group {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 366 ? 'week' : 'month'
}

// Without this bound, the period before a range of thousands of years would begin at dates that PostgreSQL cannot store.
const EARLIEST = dayOf('1900-01-01')

function rangeOf(zone: string, first: LocalDay, last: LocalDay, group: Group): Range {
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

/** Returns the range of the same number of days just before, with the same group. */
export function previousRange(range: Range): Range {
  const first = dayOf(range.from)
  return rangeOf(range.zone, first - range.days, first - 1, range.group)
}

/** Most buckets of a series. Only ranges of centuries have more. */
const MOST_BUCKETS = 3_000

/**
 * Returns the buckets of a range for a series.
 * @throws AppError `validation_failed` for more than 3,000 buckets
 */
export function seriesBuckets(range: Range): LabelledBucket[] {
  // Only the group `month` can have so many buckets: ranges with shorter buckets are short.
  if (range.group === 'month' && range.days > MOST_BUCKETS * 30) {
    throw invalidField('from', `must leave at most ${MOST_BUCKETS} buckets: ask for a shorter range`)
  }
  return buckets(range)
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
  for (let day = first; day <= last; day = nextGroup(day, group)) starts.push(startOfDay(zone, day))
  return starts
}

function nextGroup(day: LocalDay, group: 'day' | 'week' | 'month'): LocalDay {
  if (group === 'day') return day + 1
  return group === 'week' ? mondayOf(day) + 7 : firstOfMonth(day, 1)
}
