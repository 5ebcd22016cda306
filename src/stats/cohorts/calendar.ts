import { invalidField } from '../../platform/errors.ts'
import {
  dayOf,
  firstOfMonth,
  formatInstant,
  type LocalDay,
  mondayOf,
  startOfDay,
} from '../../platform/time/local-time.ts'
import type { Range, TimeSpan } from '../../platform/time/range.ts'

type PeriodLength = 'day' | 'week' | 'month'

const MOST_COHORTS = 100
const DAYS_OF = { day: 1, week: 7, month: 31 }

/** Calendar periods in a row: first those of the cohorts, then later ones. */
export interface Calendar {
  /** Those that have begun by now, and those of cohorts. */
  periods: TimeSpan[]
  /** One for each cohort, cut at the ends of the range. */
  labels: string[]
}

/**
 * Returns the periods of the cohorts of a range, and up to `later` periods after the last one.
 * @throws AppError `validation_failed` for more than 100 cohorts
 */
export function calendarOf(range: Range, length: PeriodLength, later: number, now: Date): Calendar {
  const { zone } = range
  const isFarTooLong = range.days > (MOST_COHORTS + 2) * DAYS_OF[length]
  const calendar: Calendar = { periods: [], labels: [] }
  let laterPeriods = 0
  for (let day = firstDay(dayOf(range.from), length); !isFarTooLong; day = nextDay(day, length)) {
    const start = startOfDay(zone, day)
    const end = startOfDay(zone, nextDay(day, length))
    // A day that the zone skipped.
    if (start === end) continue
    const isCohort = start < range.end.getTime()
    if (!isCohort && (start > now.getTime() || ++laterPeriods > later)) break
    calendar.periods.push({ start: new Date(start), end: new Date(end) })
    if (isCohort) calendar.labels.push(formatInstant(zone, Math.max(start, range.start.getTime())))
    if (calendar.labels.length > MOST_COHORTS) break
  }
  if (isFarTooLong || calendar.labels.length > MOST_COHORTS) {
    throw invalidField(
      'period',
      `must leave at most ${MOST_COHORTS} cohorts: ask for longer periods, or for a shorter range`,
    )
  }
  return calendar
}

function firstDay(day: LocalDay, length: PeriodLength): LocalDay {
  if (length === 'day') return day
  return length === 'week' ? mondayOf(day) : firstOfMonth(day)
}

function nextDay(day: LocalDay, length: PeriodLength): LocalDay {
  if (length === 'day') return day + 1
  return length === 'week' ? day + 7 : firstOfMonth(day, 1)
}
