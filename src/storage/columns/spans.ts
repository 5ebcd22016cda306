import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'

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

/** Returns the part of a span from a time on. */
export const since = (at: number, { start, end }: Span): Span => ({ start: Math.max(start, at), end })

export const isDay = ({ start, end }: Span) => end - start === DAY_MS

/** Returns how much time spans cover, in milliseconds; what is to come counts as a day. */
export const lengthOf = (spans: readonly Span[]) =>
  spans.reduce((sum, { start, end }) => sum + Math.min(end - start, DAY_MS), 0)

/** Divides spans into runs of adjacent ones that are read at once; a run of several is at most `longestMs` long. */
export function runsOf(spans: readonly Span[], longestMs: number): Span[][] {
  const runs: Span[][] = []
  for (const span of spans) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.end === span.start
    if (run && isNext && span.end - run[0]!.start <= longestMs) run.push(span)
    else runs.push([span])
  }
  return runs
}
