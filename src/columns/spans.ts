import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'

/** Half-open, Unix milliseconds. */
export interface Span {
  start: number
  end: number
}

/** After a time that no row has. */
const FAR = Date.UTC(9999, 0, 1)

const floorTo = (at: number, lengthMs: number) => Math.floor(at / lengthMs) * lengthMs
export const dayOf = (at: number): number => floorTo(at, DAY_MS)

/**
 * Divides time into spans of one block each: days UTC, then hours from yesterday on, and minutes from the hour before on, where most
 * changes are; the last one holds all that is to come. As they become older, blocks of short spans are joined.
 * @param now Unix milliseconds
 * @param shortestMs the shortest length, a minute or an hour
 * @returns the spans that overlap the given one, in order of time
 */
export function blockSpans({ start, end }: Span, now: number, shortestMs = MINUTE_MS): Span[] {
  const last = floorTo(now, shortestMs) + shortestMs
  const hoursFrom = dayOf(now - DAY_MS)
  const minutesFrom = floorTo(now - HOUR_MS, HOUR_MS)
  const spans: Span[] = []
  for (let at = Math.min(dayOf(start), last); at < end && at < last; ) {
    const lengthMs = at < hoursFrom ? DAY_MS : at < minutesFrom ? HOUR_MS : shortestMs
    if (at + lengthMs > start) spans.push({ start: at, end: at + lengthMs })
    at += lengthMs
  }
  if (end > last) spans.push({ start: last, end: FAR })
  return spans
}
