import { MINUTE_MS } from '../../lib/time.ts'
import { moveDistinct } from '../daily/visitor-set.ts'
import type { LiveCounts, Tasks } from '../protocol.ts'
import type { TailRows } from './tail-rows.ts'
import { ENGAGEMENT, PAGEVIEW } from './tail-shape.ts'
import { sizeOf, ValueVisitors } from './value-visitors.ts'

type Asked = Tasks['countLive']['input']

/** Who was on a site in a minute, when the minute had `hits`. */
interface Minute {
  hits: number
  visitors: number
  pageviews: number
}

/** Counts who is on a site, the same as `count-live-minutes` and `count-present`. A minute is counted again only when it has more hits. */
export class LiveCounter {
  readonly #rows: TailRows
  #minutes = new Map<number, Minute>()

  constructor(rows: TailRows) {
    this.#rows = rows
  }

  /** The rows must reach back to `start`. */
  count(asked: Asked): LiveCounts {
    return { minutes: this.#countMinutes(asked), present: countPresent(this.#rows, asked) }
  }

  #countMinutes({ start, end }: Asked): LiveCounts['minutes'] {
    const minutes = new Map<number, Minute>()
    for (let minute = start; minute < end; minute += MINUTE_MS) {
      const hits = this.#rows.countHits(minute, minute + MINUTE_MS)
      if (hits === 0) continue
      const known = this.#minutes.get(minute)
      minutes.set(minute, known?.hits === hits ? known : { hits, ...this.#countMinute(minute) })
    }
    this.#minutes = minutes
    return [...minutes]
      .filter(([, { visitors }]) => visitors > 0)
      .map(([minute, { visitors, pageviews }]) => ({ minute, visitors, pageviews }))
  }

  #countMinute(start: number): Omit<Minute, 'hits'> {
    const { kind, session } = this.#rows.hits.columns
    const { visitor } = this.#rows.sessions.columns
    const visitors = listedIn(this.#rows, start, start + MINUTE_MS)
    let pageviews = 0
    for (let at = 0; at < visitors.length; at++) {
      const row = visitors[at]!
      if (kind[row] === PAGEVIEW) pageviews++
      visitors[at] = visitor[session[row]!]!
    }
    return { visitors: moveDistinct(visitors), pageviews }
  }
}

/** Returns the hits of a window, those that are listed in the event log. */
function listedIn(rows: TailRows, start: number, end: number): Uint32Array {
  const { at, kind } = rows.hits.columns
  const ranges = rows.hitRanges(start, end)
  const found = new Uint32Array(sizeOf(ranges))
  let size = 0
  for (const { from, to } of ranges)
    for (let row = from; row < to; row++)
      if (at[row]! >= start && at[row]! < end && kind[row] !== ENGAGEMENT) found[size++] = row
  return found.subarray(0, size)
}

/** Returns the sessions of hits, each once. */
function sessionsOf(rows: TailRows, hits: Uint32Array): Uint32Array {
  const { session } = rows.hits.columns
  const isFound = new Uint8Array(rows.sessions.length)
  const found = new Uint32Array(hits.length)
  let size = 0
  for (const hit of hits) {
    const index = session[hit]!
    if (isFound[index] === 1) continue
    isFound[index] = 1
    found[size++] = index
  }
  return found.subarray(0, size)
}

function countPresent(rows: TailRows, { presentFrom, end, limit }: Asked): LiveCounts['present'] {
  const hits = listedIn(rows, presentFrom, end)
  if (hits.length === 0) return []
  const sessions = sessionsOf(rows, hits)
  const { session, path } = rows.hits.columns
  const { visitor } = rows.sessions.columns
  const { source, country } = rows.dimensions.columns
  const [paths, sources, countries] = [hits, sessions, sessions].map(
    ({ length }) => new ValueVisitors(length, rows.values.length),
  )
  for (const hit of hits) paths!.add(path[hit]!, visitor[session[hit]!]!)
  const visitors = new Uint32Array(sessions.length)
  for (let at = 0; at < sessions.length; at++) {
    const index = sessions[at]!
    visitors[at] = visitor[index]!
    sources!.add(source![index]!, visitor[index]!)
    countries!.add(country![index]!, visitor[index]!)
  }
  const top = (dimension: 'path' | 'source' | 'country', ofValues: ValueVisitors) =>
    ofValues
      .counts()
      .map(([value, size]) => ({ dimension, value: rows.values[value]!, visitors: size }))
      .sort((a, b) => b.visitors - a.visitors || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))
      .slice(0, limit)
  return [
    { dimension: null, value: null, visitors: moveDistinct(visitors) },
    ...top('path', paths!),
    ...top('source', sources!),
    ...top('country', countries!),
  ]
}
