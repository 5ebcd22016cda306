import type { Db } from '../../db/connect.ts'
import { isHitDimension } from '../../dimensions/dimensions.ts'
import { type Counts, noCounts } from '../daily/codec.ts'
import { cacheOf } from '../daily/rollup-cache.ts'
import { addCounts } from '../daily/row-slice.ts'
import { concat, moveDistinct } from '../daily/visitor-set.ts'
import type { CountedRows, RankedValue, Tasks } from '../protocol.ts'
import {
  HAS_HITS,
  HAS_SCROLLED,
  IS_BOUNCE,
  IS_ENGAGED,
  IS_SEEN,
  IS_STARTED,
  isMeasured,
  measuresOf,
  SESSIONS,
} from './build-parts.ts'
import type { Block } from './codec.ts'
import { SessionMatcher } from './match-sessions.ts'
import { divideByKey, NumberList } from './number-list.ts'
import { eachPart } from './read-parts.ts'

/** As many as daily rollups hold; with more of them, rows are as fast. */
const MOST_VALUES = 50_000

/** Returns the counts of the values that sessions have which match all filters. */
export async function countFilteredValues(
  db: Db,
  { siteNo, filters, dimension, days, rows, counts }: Tasks['countFilteredValues']['input'],
): Promise<Tasks['countFilteredValues']['output']> {
  const matcher = new SessionMatcher(filters)
  const counted = new CountedValues(counts.includes('visitors'))
  const withMeasures = isMeasured(dimension) && counts.includes('measures')
  const measures = measuresOf(dimension)
  const names = [SESSIONS, dimension, ...(withMeasures ? [measures] : []), ...matcher.names]
  const source = { db, cache: cacheOf(db), siteNo }
  const isRead = await eachPart(source, days, names, part => {
    const block = part.block(dimension)
    if (!block || counted.size > MOST_VALUES) return
    const sessions = part.block(SESSIONS)!
    const matching = matcher.match(part, sessions.columns.flags!.length)
    if (isHitDimension(dimension)) {
      counted.addSeen(sessions, block, matching)
      if (withMeasures) counted.addMeasures(block, part.block(measures)!, matching, part.start)
    } else counted.addSessions(sessions, block, matching)
  })
  return isRead && counted.size <= MOST_VALUES ? counted.with(rows) : null
}

const UNKNOWN = -1

class CountedValues {
  readonly #withVisitors: boolean
  readonly #entries = new Map<string, number>()
  readonly #values: string[] = []
  readonly #counts: Counts[] = []
  /** Of each visit of a value: which value, and which visitor. */
  readonly #entryOf = new NumberList()
  readonly #visitorOf = new NumberList()

  constructor(withVisitors: boolean) {
    this.#withVisitors = withVisitors
  }

  get size(): number {
    return this.#values.length
  }

  #entry(value: string): number {
    let entry = this.#entries.get(value)
    if (entry === undefined) {
      entry = this.#values.length
      this.#entries.set(value, entry)
      this.#values.push(value)
      this.#counts.push(noCounts())
    }
    return entry
  }

  /** Only values that a session has which matches get an entry: a block may have many others. */
  #entryAt(entries: Int32Array, texts: readonly string[], id: number): number {
    const known = entries[id]!
    if (known !== UNKNOWN) return known
    const entry = this.#entry(texts[id]!)
    entries[id] = entry
    return entry
  }

  /** @param block of a dimension of sessions */
  addSessions({ columns }: Block, block: Block, matching: Uint8Array): void {
    const entries = new Int32Array(block.texts.length).fill(UNKNOWN)
    const ids = block.columns.ids!
    const [flags, visitorNos] = [columns.flags!, columns.visitorNos!]
    const [pageviews, customEvents] = [columns.pageviews!, columns.customEvents!]
    const durationMs = columns.durationMs!
    for (let index = 0; index < matching.length; index++) {
      if (matching[index] === 0) continue
      const entry = this.#entryAt(entries, block.texts, ids[index]!)
      const counts = this.#counts[entry]!
      const flag = flags[index]!
      counts.pageviews += pageviews[index]!
      counts.customEvents += customEvents[index]!
      if (flag & HAS_HITS) this.#visit(entry, visitorNos[index]!)
      if (flag & IS_STARTED) counts.sessions += 1
      if (flag & IS_BOUNCE) counts.bounces += 1
      counts.durationMs += durationMs[index]!
    }
  }

  /** @param block of a dimension of hits */
  addSeen(sessions: Block, block: Block, matching: Uint8Array): void {
    const entries = new Int32Array(block.texts.length).fill(UNKNOWN)
    const { ids, flags, pageviews, sessionSteps } = block.columns
    const ofSession = sessions.columns
    const [sessionFlags, visitorNos, durationMs] = [
      ofSession.flags!,
      ofSession.visitorNos!,
      ofSession.durationMs!,
    ]
    let session = 0
    for (let index = 0; index < ids!.length; index++) {
      session += sessionSteps![index]!
      if (matching[session] === 0) continue
      const entry = this.#entryAt(entries, block.texts, ids![index]!)
      const counts = this.#counts[entry]!
      const flag = flags![index]!
      counts.pageviews += pageviews![index]!
      if (flag & HAS_HITS) this.#visit(entry, visitorNos[session]!)
      if ((flag & IS_SEEN) === 0) continue
      counts.sessions += 1
      counts.durationMs += durationMs[session]!
      if (sessionFlags[session]! & IS_BOUNCE) counts.bounces += 1
    }
  }

  /**
   * @param block of a dimension of hits, after `addSeen`
   * @param start of the day, Unix milliseconds
   */
  addMeasures(block: Block, measures: Block, matching: Uint8Array, start: number): void {
    const entries = new Int32Array(block.texts.length).fill(UNKNOWN)
    const { ids, flags, sessionSteps } = block.columns
    const { engagedMs, scroll, lastAt } = measures.columns
    let session = 0
    for (let index = 0; index < ids!.length; index++) {
      session += sessionSteps![index]!
      if (matching[session] === 0) continue
      const counts = this.#counts[this.#entryAt(entries, block.texts, ids![index]!)]!
      const flag = flags![index]!
      if (lastAt && flag & HAS_HITS) counts.lastAt = Math.max(counts.lastAt, start + lastAt[index]! - 1)
      if (flag & IS_ENGAGED) {
        counts.engagedSessions += 1
        counts.engagedMs += engagedMs![index]!
      }
      if (flag & HAS_SCROLLED) {
        counts.scrolledSessions += 1
        counts.scrollSum += scroll![index]!
      }
    }
  }

  #visit(entry: number, visitorNo: number): void {
    // How many there are is needed in any case: a value without visitors and sessions is not shown.
    this.#counts[entry]!.hits += 1
    if (!this.#withVisitors) return
    this.#entryOf.push(entry)
    this.#visitorOf.push(visitorNo)
  }

  /** Returns the counts with those of rows, and with distinct visitors. */
  with(rows: readonly CountedRows<RankedValue>[]): RankedValue[] {
    const others = new Map<number, Uint32Array[]>()
    for (const { counts, visitors } of rows) {
      const entry = this.#entry(counts.value)
      const { value: _, untimedSessions: _untimed, ...added } = counts
      addCounts(this.#counts[entry]!, added)
      others.set(entry, [...(others.get(entry) ?? []), ...visitors])
    }
    const lists = divideByKey(this.#entryOf.numbers, this.#visitorOf.numbers, this.#values.length)
    return this.#values.map((value, entry) => ({
      ...this.#counts[entry]!,
      value,
      hits: 0,
      visitors: moveDistinct(concat([lists[entry]!, ...(others.get(entry) ?? [])])),
    }))
  }
}
