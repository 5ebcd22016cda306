import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { offsetAt } from '../../../platform/time/local-time.ts'

const QUARTER_MS = 15 * MINUTE_MS
const WEEKS = [1, 2, 3, 4]

/** Start of the last hour that consists of whole quarters which are over, Unix milliseconds. */
export const startOfLastHour = (now: number): number => Math.floor(now / QUARTER_MS) * QUARTER_MS - HOUR_MS

/** Returns the start of the same hour, by local clocks, one to four weeks before. */
export function sameHourBefore(zone: string, start: number): number[] {
  const local = start + offsetAt(zone, start)
  return WEEKS.map(weeks => {
    const localThen = local - weeks * 7 * DAY_MS
    // The offset near that time decides, then that at the time it gives: clocks may change in between.
    const guess = localThen - offsetAt(zone, localThen - offsetAt(zone, start))
    return localThen - offsetAt(zone, guess)
  })
}
