import { EVENT, PAGEVIEW, type View } from '../../storage/columns/block.ts'
import { type CountedPart, NO_TRAFFIC, type TrafficTotals } from '../../storage/rollups/protocol.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Pairs } from './shared/distinct.ts'
import { type Selected, select } from './shared/select.ts'

/**
 * Counts the totals of consecutive buckets: hits by their time, sessions by their start.
 * @param bounds of the buckets, Unix milliseconds, one more than buckets
 */
export function countTraffic(view: View, question: Question, bounds: readonly number[]): TrafficTotals[] {
  const { totals, pairs } = addUp(view, question, bounds)
  const visitors = pairs.countDistinct(totals.length, view.visitors.size)
  for (const [bucket, total] of totals.entries()) total.visitors = visitors[bucket]!
  return totals
}

/** Counts the same with lists of visitors, for totals that are added to others. */
export function countTrafficWithVisitors(
  view: View,
  question: Question,
  bounds: readonly number[],
): CountedPart[] {
  const { totals, pairs } = addUp(view, question, bounds)
  const visitors = pairs.distinct(totals.length, view.visitors.size)
  return totals.map(({ visitors: _, ...counts }, bucket) => ({
    start: bounds[bucket]!,
    end: bounds[bucket + 1]!,
    counts,
    visitors: Uint32Array.from(visitors[bucket]!, visitor => view.visitors.visitorNo(visitor)),
  }))
}

function addUp(view: View, question: Question, bounds: readonly number[]) {
  const buckets = new Buckets(bounds)
  const totals = Array.from({ length: buckets.count }, () => ({ ...NO_TRAFFIC }))
  const pairs = new Pairs()
  for (const selected of select(view, question)) {
    if (!selected.isService) addSessions(selected, buckets, totals, pairs)
  }
  return { totals, pairs }
}

function addSessions(
  { hits: { at, type }, counts, inRange, started, sessions }: Selected,
  buckets: Buckets,
  totals: TrafficTotals[],
  pairs: Pairs,
): void {
  const { count, startedAt, firstAt, lastAt, firstHit, visitor, pageviews, durationMs } = sessions
  for (let session = 0; session < count; session++) {
    if (counts[session] === 0) continue
    const startedIn = started[session] === 0 ? -1 : buckets.of(startedAt[session]!)
    if (startedIn >= 0) {
      const total = totals[startedIn]!
      total.sessions += 1
      if (pageviews[session] === 1) total.bounces += 1
      total.durationMs += durationMs[session]!
    }
    // Most sessions lie in one bucket.
    const firstIn = buckets.of(firstAt[session]!)
    const isWhole = firstIn >= 0 && buckets.of(lastAt[session]!) === firstIn
    const end = firstHit[session + 1]!
    for (let hit = firstHit[session]!; hit < end; hit++) {
      if (inRange[hit] === 0) continue
      const bucket = isWhole ? firstIn : buckets.of(at[hit]!)
      if (bucket < 0) continue
      if (type[hit] === PAGEVIEW) totals[bucket]!.pageviews += 1
      else if (type[hit] === EVENT) totals[bucket]!.customEvents += 1
      pairs.add(bucket, visitor[session]!)
    }
  }
}
