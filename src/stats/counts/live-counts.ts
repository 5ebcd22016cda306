import { MINUTE_MS } from '../../platform/lib/time.ts'
import { PAGEVIEW, type View } from '../../storage/columns/block.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import type { LiveCounts } from '../../storage/rollups/protocol.ts'
import type { Question } from './question.ts'
import { Pairs, VisitorSet } from './shared/distinct.ts'
import { type Keys, keysOf } from './shared/keys.ts'
import { type Selected, select } from './shared/select.ts'

interface LiveAsked {
  /** Visitors with a hit since then are present, Unix milliseconds. */
  presentFrom: number
  /** Most values of each dimension. */
  limit: number
}

const DIMENSIONS = ['path', 'source', 'country'] as const

/** Counts who is on the site, by minute of the range, and of those who are present by value. Events that the service wrote do not count. */
export function countLive(view: View, question: Question, { presentFrom, limit }: LiveAsked): LiveCounts {
  const selected = select(view, question).filter(({ isService }) => !isService)
  const present = new VisitorSet(view.visitors.size)
  forEachHit(selected, presentFrom, (_, _hit, visitor) => present.add(visitor))
  return {
    minutes: countMinutes(selected, question, view.visitors.size),
    present: [
      { dimension: null, value: null, visitors: present.size },
      ...DIMENSIONS.flatMap(dimension => {
        const visitorsOf = countByKey(selected, presentFrom, keysOf(view, dimension, question, 'UTC'), view)
        return visitorsOf.slice(0, limit).map(row => ({ dimension, ...row }))
      }),
    ],
  }
}

function countMinutes(selected: readonly Selected[], { start, end }: Question, visitors: number) {
  const minutes = Math.ceil((end - start) / MINUTE_MS)
  const pairs = new Pairs()
  const pageviews = new Int32Array(minutes)
  forEachHit(selected, start, ({ hits }, hit, visitor) => {
    const minute = Math.floor((hits.at[hit]! - start) / MINUTE_MS)
    if (hits.type[hit] === PAGEVIEW) pageviews[minute]! += 1
    pairs.add(minute, visitor)
  })
  const distinct = pairs.countDistinct(minutes, visitors)
  return Array.from(pageviews, (count, index) => ({
    minute: start + index * MINUTE_MS,
    visitors: distinct[index]!,
    pageviews: count,
  }))
}

/** Returns the values with visitors, those with most first. */
function countByKey(selected: readonly Selected[], from: number, keys: Keys, { visitors }: View) {
  const pairs = new Pairs()
  for (const block of selected) {
    const keyOf = keys.ofHits(block)
    forEachHit([block], from, (_, hit, visitor) => pairs.add(keyOf[hit]!, visitor))
  }
  return Array.from(pairs.countDistinct(keys.count, visitors.size), (count, key) => ({ key, count }))
    .filter(({ count }) => count > 0)
    .map(({ key, count }) => ({ value: keys.text(key), visitors: count }))
    .sort((a, b) => b.visitors - a.visitors || compareTexts(a.value, b.value))
}

/** Visits the hits that count, from a time on. */
function forEachHit(
  selected: readonly Selected[],
  from: number,
  visit: (block: Selected, hit: number, visitor: number) => void,
): void {
  for (const block of selected) {
    const { hits, inRange, sessions } = block
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 1 && hits.at[hit]! >= from)
        visit(block, hit, sessions.visitor[hits.session[hit]!]!)
    }
  }
}
