import { MINUTE_MS } from '../../lib/time.ts'
import { distinctOf } from '../daily/visitor-set.ts'
import type { LiveCounts, Tasks } from '../protocol.ts'
import type { TailRows } from './tail-rows.ts'
import { ENGAGEMENT, PAGEVIEW } from './tail-shape.ts'
import { sizeOf, ValueVisitors } from './value-visitors.ts'

/** Counts who is on a site, the same as `count-live-minutes` and `count-present`. The rows must reach back to `start`. */
export function countTailLive(rows: TailRows, input: Tasks['countLive']['input']): LiveCounts {
  return { minutes: countMinutes(rows, input), present: countPresent(rows, input) }
}

/** Returns the hits of a window, those that are listed in the event log. */
function hitsIn(rows: TailRows, start: number, end: number): Uint32Array {
  const { at, kind } = rows.hits.columns
  const ranges = rows.hitRanges(start, end)
  const found = new Uint32Array(sizeOf(ranges))
  let size = 0
  for (const { from, to } of ranges)
    for (let row = from; row < to; row++)
      if (at[row]! >= start && at[row]! < end && kind[row] !== ENGAGEMENT) found[size++] = row
  return found.subarray(0, size)
}

function countMinutes(rows: TailRows, { start, end }: Tasks['countLive']['input']): LiveCounts['minutes'] {
  const count = Math.ceil((end - start) / MINUTE_MS)
  const pageviews = new Uint32Array(count)
  const ranges = rows.hitRanges(start, end)
  const visitors = new ValueVisitors(sizeOf(ranges), count)
  const { at, kind, session } = rows.hits.columns
  const { visitor } = rows.sessions.columns
  for (const { from, to } of ranges) {
    for (let row = from; row < to; row++) {
      if (at[row]! < start || at[row]! >= end || kind[row] === ENGAGEMENT) continue
      const minute = Math.floor((at[row]! - start) / MINUTE_MS)
      if (kind[row] === PAGEVIEW) pageviews[minute]!++
      visitors.add(minute, visitor[session[row]!]!)
    }
  }
  return visitors.distinct().map(([minute, seen]) => ({
    minute: start + minute * MINUTE_MS,
    visitors: seen.length,
    pageviews: pageviews[minute]!,
  }))
}

function countPresent(
  rows: TailRows,
  { presentFrom, end, limit }: Tasks['countLive']['input'],
): LiveCounts['present'] {
  const present = hitsIn(rows, presentFrom, end)
  if (present.length === 0) return []
  const { session, path } = rows.hits.columns
  const { visitor } = rows.sessions.columns
  const { source, country } = rows.dimensions.columns
  const visitorAt = (row: number) => visitor[session[row]!]!
  const top = (dimension: 'path' | 'source' | 'country', valueAt: (row: number) => number) => {
    const pairs = new ValueVisitors(present.length, rows.values.length)
    for (const row of present) pairs.add(valueAt(row), visitorAt(row))
    return pairs
      .distinct()
      .map(([value, seen]) => ({ dimension, value: rows.values[value]!, visitors: seen.length }))
      .sort((a, b) => b.visitors - a.visitors || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
      .slice(0, limit)
  }
  return [
    { dimension: null, value: null, visitors: distinctOf(present.map(visitorAt)).length },
    ...top('path', row => path[row]!),
    ...top('source', row => source![session[row]!]!),
    ...top('country', row => country![session[row]!]!),
  ]
}
