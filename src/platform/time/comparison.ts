import * as z from 'zod'
import { label, timestamp } from '../schema/fields.ts'
import { optionalFlagParameter } from '../schema/validation.ts'
import {
  clockHour,
  dayOf,
  endOfClockHour,
  formatDay,
  type LocalDay,
  localDay,
  yearBefore,
} from './local-time.ts'
import { CalendarDate, type Clock, clockHours, previousRange, type Range, wholeDays } from './range.ts'

const COMPARISONS = ['previous', 'previous_year', 'custom'] as const

/** The query parameters of a comparison. A schema that uses them needs `checkComparison`, too. */
export const compareFields = {
  compare: z.enum(COMPARISONS).optional().meta({
    description: 'Which period `previous` is. Without it, as many days just before, whole days.',
  }),
  compare_from: CalendarDate.optional().meta({
    description: 'First day of the period of `compare=custom`.',
    example: '2025-03-01',
  }),
  compare_to: CalendarDate.optional().meta({
    description: 'Last day of that period, included.',
    example: '2025-03-31',
  }),
  match_weekday: optionalFlagParameter.meta({
    description: 'Compare weekdays with the same weekdays; with `previous` and `previous_year`.',
  }),
}
/** The same where answers have no `previous` without them. */
export const previousFields = {
  ...compareFields,
  compare: compareFields.compare.meta({ description: 'Adds `previous`: the numbers of this period.' }),
}
const ComparisonQuery = z.object(compareFields)
export type ComparisonQuery = z.infer<typeof ComparisonQuery>

/** Checks the four parameters together; for `superRefine`. */
export function checkComparison(query: ComparisonQuery, context: z.RefinementCtx): void {
  const { compare, compare_from: from, compare_to: to, match_weekday: matchWeekday } = query
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })

  for (const field of ['compare_from', 'compare_to'] as const) {
    if (compare === 'custom' && query[field] === undefined)
      refuse(field, 'is required when compare is custom')
    if (compare !== 'custom' && query[field] !== undefined) refuse(field, 'needs compare=custom')
  }
  if (from !== undefined && to !== undefined && from > to) {
    refuse('compare_from', 'must not be later than compare_to')
  }
  if (matchWeekday !== undefined && compare !== 'previous' && compare !== 'previous_year') {
    refuse('match_weekday', 'needs compare=previous or compare=previous_year')
  }
}

/** The compared period, in answers. */
export const Comparison = z
  .object({
    from: label('First day of the compared period.', '2025-03-01'),
    to: label('Last day of the compared period, included.', '2025-03-31'),
    start: timestamp('Where it begins.'),
    end: timestamp('Where it ends; this instant is not part of it.'),
  })
  .meta({ id: 'Comparison', description: 'The period of `previous`. There when the request has `compare`.' })
export type Comparison = z.infer<typeof Comparison>

export const presentComparison = ({ from, to, start, end }: Range): Comparison => ({
  from,
  to,
  start: start.toISOString(),
  end: end.toISOString(),
})

/**
 * Returns the period that a range is compared with, with the same group; undefined when the query has no `compare`.
 * @see docs/metrics.md "Comparison"
 */
export function comparedRange(
  query: ComparisonQuery,
  range: Range,
  { now }: Pick<Clock, 'now'>,
): Range | undefined {
  const { compare, compare_from: from, compare_to: to, match_weekday: matchWeekday = false } = query
  const { zone, group, hours } = range
  if (compare === undefined) return undefined
  if (compare === 'custom') return wholeDays(zone, dayOf(from!), dayOf(to!), group)
  if (hours !== undefined && compare === 'previous' && !matchWeekday) return previousRange(range)

  const shift = shiftOf(compare, matchWeekday, range.days)
  const [first, last] = [shift(dayOf(range.from)), shift(dayOf(range.to))]
  if (hours !== undefined) {
    // Instants are compared by what clocks show: the last hour is the same one, on the shifted date.
    return clockHours(
      zone,
      endOfClockHour(zone, last, clockHour(zone, range.end.getTime() - 1)),
      hours,
      group,
    )
  }
  const compared = wholeDays(zone, first, last, group)
  const today = formatDay(localDay(zone, now.getTime()))
  if (range.from !== today || range.to !== today) return compared
  return { ...compared, end: new Date(endOfClockHour(zone, last, clockHour(zone, now.getTime()))) }
}

/** Returns the function that gives the compared day of a day. */
function shiftOf(
  compare: 'previous' | 'previous_year',
  matchWeekday: boolean,
  days: number,
): (day: LocalDay) => LocalDay {
  if (compare === 'previous_year') return matchWeekday ? day => day - 364 : yearBefore
  const distance = matchWeekday ? 7 * Math.ceil(days / 7) : days
  return day => day - distance
}
