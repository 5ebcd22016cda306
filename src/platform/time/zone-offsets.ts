import { DAY_MS, MINUTE_MS } from '../lib/time.ts'
import { offsetAt } from './local-time.ts'

/** Offsets of a zone in a time span, as parameters of a statement: the zone tables of the database are not used. */
export interface ZoneOffsets {
  /** From when on each offset applies, ascending; the first is the start of the span. */
  offsetStarts: Date[]
  /** Seconds that local clocks are ahead of UTC. */
  offsets: number[]
}

const QUARTER_HOUR = 15 * MINUTE_MS

/** Hits are not stored before they happen; later changes of the offset do not matter. */
const FUTURE_MS = 400 * DAY_MS

/** Returns the offsets of a zone in [start, end), Unix milliseconds. Changes more than a year from now are left out. */
export function zoneOffsets(zone: string, start: number, end: number, now = Date.now()): ZoneOffsets {
  const starts = [start]
  let offset = offsetAt(zone, start)
  const offsets = [offset]
  const until = Math.min(end, now + FUTURE_MS)
  for (let at = start; at < until; ) {
    // No zone changes its offset twice within a day.
    const next = Math.min(at + DAY_MS, until)
    const nextOffset = offsetAt(zone, next)
    if (nextOffset !== offset) {
      starts.push(changeBetween(zone, at, next))
      offsets.push(nextOffset)
      offset = nextOffset
    }
    at = next
  }
  return { offsetStarts: starts.map(at => new Date(at)), offsets: offsets.map(each => each / 1_000) }
}

/** Returns the first quarter hour with the later one of two offsets. */
function changeBetween(zone: string, from: number, to: number): number {
  const before = offsetAt(zone, from)
  let [low, high] = [Math.floor(from / QUARTER_HOUR), Math.ceil(to / QUARTER_HOUR)]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (offsetAt(zone, middle * QUARTER_HOUR) === before) low = middle
    else high = middle
  }
  return high * QUARTER_HOUR
}
