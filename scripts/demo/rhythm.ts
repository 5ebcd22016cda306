import { DAY_MS, HOUR_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'

/** New and returning visitors a day, at the end of the time and without weekday and launch. */
const SESSIONS_A_DAY = 90
/** Share of the traffic of today that the first of 90 days had. */
const AT_START = 0.62
const GROWING_DAYS = 90

/** Sunday first. */
const WEEKDAYS = [0.5, 1.08, 1.16, 1.14, 1.1, 0.92, 0.46]

/** Relative traffic by hour of the day, UTC: Europe in the morning, America in the afternoon. */
const HOURS = [10, 8, 7, 6, 7, 10, 17, 30, 44, 52, 52, 48, 46, 56, 64, 66, 63, 57, 48, 41, 35, 29, 21, 14]

/** Traffic on the day of the launch and on the days after it, in multiples of a usual day. */
const LAUNCH = [4.6, 2.3, 1.5, 1.25, 1.1]

/** Days, each a UTC day by its first moment; the last one is that of `now`. */
export interface Calendar {
  now: number
  days: number[]
  /** First moment of the day on which version 2.4 was released and launched. */
  launch: number
}

export function calendarOf(now: number, days: number): Calendar {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const all = Array.from({ length: days }, (_, index) => today - (days - 1 - index) * DAY_MS)
  // About three weeks ago, so that a month shows it, on a Tuesday where there is one around.
  const around = all[Math.floor((days - 1) * 0.8)]!
  const tuesday = around - ((new Date(around).getUTCDay() + 5) % 7) * DAY_MS
  return { now, days: all, launch: Math.max(tuesday, all[0]!) }
}

/** Share of the visitors of a day who come because of the launch. */
export function launchShare({ launch }: Calendar, day: number): number {
  const factor = LAUNCH[(day - launch) / DAY_MS] ?? 1
  return 1 - 1 / factor
}

/** Returns the times at which sessions of a day begin, ascending; none later than now. */
export function startsOn(random: Random, calendar: Calendar, day: number): number[] {
  const age = (calendar.days.at(-1)! - day) / DAY_MS
  const growth = Math.max(0.2, 1 - ((1 - AT_START) * age) / GROWING_DAYS)
  const launch = LAUNCH[(day - calendar.launch) / DAY_MS] ?? 1
  const noise = 0.92 + random.next() * 0.16
  const count = Math.round(SESSIONS_A_DAY * growth * WEEKDAYS[new Date(day).getUTCDay()]! * launch * noise)
  const hours = HOURS.map((weight, hour) => [hour, weight] as const)
  const starts = Array.from(
    { length: count },
    () => day + random.weigh(hours) * HOUR_MS + random.below(HOUR_MS),
  )
  return starts.filter(at => at <= calendar.now).sort((a, b) => a - b)
}
