import { MINUTE_MS } from '../../../platform/lib/time.ts'
import {
  clockHour,
  firstOfMonth,
  formatDay,
  type LocalDay,
  localDay,
  mondayOf,
  startOfDay,
} from '../../../platform/time/local-time.ts'

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** Days of a site's time zone, `YYYY-MM-DD`, both included. */
export interface Period {
  frequency: Frequency
  from: string
  to: string
}

export interface DuePeriod extends Period {
  /** The first moment at which the site's clocks show the hour, or a later one, on the day after the period. */
  dueAt: Date
}

/** The day on which the newest report is sent, of those that are sent on `day` or before. */
const SENT_ON: Record<Frequency, (day: LocalDay) => LocalDay> = {
  daily: day => day,
  weekly: mondayOf,
  monthly: day => firstOfMonth(day),
}

const FIRST_DAY: Record<Frequency, (sentOn: LocalDay) => LocalDay> = {
  daily: sentOn => sentOn - 1,
  weekly: sentOn => sentOn - 7,
  monthly: sentOn => firstOfMonth(sentOn, -1),
}

/** Returns the newest period of each frequency whose report is due, for a site whose reports are sent at an hour. */
export function duePeriods(zone: string, hour: number, now: Date): DuePeriod[] {
  const today = localDay(zone, now.getTime())
  return FREQUENCIES.map(frequency => {
    const sentOn = SENT_ON[frequency](today)
    const due = periodBefore(zone, hour, frequency, sentOn)
    return due.dueAt <= now ? due : periodBefore(zone, hour, frequency, SENT_ON[frequency](sentOn - 1))
  })
}

/** Returns the newest period of a frequency that is over. */
export function lastPeriod(zone: string, frequency: Frequency, now: Date): Period {
  const sentOn = SENT_ON[frequency](localDay(zone, now.getTime()))
  return { frequency, from: formatDay(FIRST_DAY[frequency](sentOn)), to: formatDay(sentOn - 1) }
}

function periodBefore(zone: string, hour: number, frequency: Frequency, sentOn: LocalDay): DuePeriod {
  return {
    frequency,
    from: formatDay(FIRST_DAY[frequency](sentOn)),
    to: formatDay(sentOn - 1),
    dueAt: new Date(startOfClockHour(zone, sentOn, hour)),
  }
}

const QUARTER_HOUR_MS = 15 * MINUTE_MS

/** Clocks may skip the hour, or show it twice: then it is the change of clocks, or the first of the two. */
function startOfClockHour(zone: string, day: LocalDay, hour: number): number {
  const end = startOfDay(zone, day + 1)
  let at = startOfDay(zone, day)
  while (at < end && clockHour(zone, at) < hour) at += QUARTER_HOUR_MS
  return at
}
