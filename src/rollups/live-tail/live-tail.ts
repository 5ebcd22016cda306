import { type Db, inSnapshot, type Queryable } from '../../db/connect.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type CountsByValue, isSinceRollup, type RowSlice, SILENCE_MS } from '../daily/row-slice.ts'
import { BUCKET_MS, type LiveCounts, type Tasks, type Window } from '../protocol.ts'
import { KEPT_MS } from '../recent/recent-hits.ts'
import { changedBuckets, isMadeAnew, readTailState, type TailState } from './changes.ts'
import { LiveCounter } from './count-live.ts'
import { readExits } from './read-exits.ts'
import { readHits, readHitsOf, readSeconds, type SecondHits } from './read-hits.ts'
import { RunningCounts } from './running-counts.ts'
import { TailRows } from './tail-rows.ts'
import { TailLost, TailUnfit } from './tail-shape.ts'

/** Hits of this time are read by one statement, about 60,000 at a thousand a second. */
const STEP_MS = MINUTE_MS
/** The same for hits before those: the tail takes few of them. */
const EARLIER_STEP_MS = 5 * MINUTE_MS
/** Most seconds of hits that one statement reads after the watermark, where a statement may find little that is new. */
const FRESH_SECONDS = 20

export interface TailLimits {
  /** Returns the most memory that the rows of a tail may take now, bytes. */
  maxBytes: () => number
  /** The same for the counts that it keeps. Default: what the rows leave. */
  maxCountBytes?: () => number
}

/**
 * The rows of a site that the rollups of open days do not hold, kept in memory: what a slice since a rollup counts. Each read adds what was
 * stored since the read before. Rows are those of `advance`'s snapshot, no others.
 */
export class LiveTail {
  readonly siteNo: number
  readonly #rows: TailRows
  readonly #counts: RunningCounts
  readonly #live: LiveCounter
  readonly #limits: TailLimits
  /** As of the last snapshot. */
  #state: TailState

  private constructor(siteNo: number, from: number, state: TailState, limits: TailLimits) {
    this.siteNo = siteNo
    this.#rows = new TailRows(from)
    this.#counts = new RunningCounts(this.#rows)
    this.#live = new LiveCounter(this.#rows)
    this.#state = state
    this.#limits = limits
  }

  /**
   * Reads the rows of a site up to now, in many short statements, each with a snapshot of its own.
   * @returns undefined when the site is not busy, or has no rollup of a day that is open
   * @throws TailLost when rows changed meanwhile, or take too much memory
   */
  static async build(db: Db, siteNo: number, limits: TailLimits): Promise<LiveTail | undefined> {
    const first = await inSnapshot(db, tx => readTailState(tx, siteNo, 0))
    if (!first || first.days.length === 0 || first.isMarked || !isBusy(first)) return undefined
    const from = Math.min(...first.days.map(({ rolledUpTo }) => rolledUpTo)) - SILENCE_MS
    // The first snapshot compares all hits: of several servers behind one address, one may have lagged.
    const tail = new LiveTail(siteNo, from, { ...first, watermark: from }, limits)
    for (let at = from; at < first.watermark; at += STEP_MS) {
      const window = { start: at, end: Math.min(at + STEP_MS, first.watermark) }
      for (const hit of await readHits(db, siteNo, window)) tail.#rows.addHit(hit)
      tail.#checkSize()
    }
    await tail.#addEarlier(db)
    if (!(await inSnapshot(db, tx => tail.advance(tx)))) throw new TailLost('a day is marked')
    return tail
  }

  /** Adds the hits before the first one that is held, of the sessions that are held. */
  async #addEarlier(db: Db): Promise<void> {
    const { sessions, from } = this.#rows
    // A hit before the start of its session came late, and at most half an hour lies between it and the next one.
    let reach = from - SILENCE_MS
    for (let to = from; ; to -= EARLIER_STEP_MS) {
      const sessionNos: number[] = []
      const { startedAt, sessionNo } = sessions.columns
      for (let index = 0; index < sessions.length; index++)
        if (startedAt[index]! < to) sessionNos.push(sessionNo[index]!)
      if (sessionNos.length === 0 && to <= reach) return
      const hits = await readHitsOf(db, this.siteNo, { start: to - EARLIER_STEP_MS, end: to }, sessionNos)
      for (const hit of hits) if (this.#rows.addEarlier(hit)) reach = Math.min(reach, hit.at - SILENCE_MS)
      this.#checkSize()
    }
  }

  #checkSize(): void {
    if (this.#rows.bytes > this.#limits.maxBytes()) throw new TailUnfit('the last hits take too much memory')
  }

  /**
   * Adds what a snapshot has more than the last one.
   * @returns false when rows must be counted: the snapshot is older than what the tail holds, such as that of a standby, or a day is marked
   * @throws TailLost when rows have changed that are no new hits; the tail must not be used any more
   */
  async advance(tx: Queryable): Promise<boolean> {
    const rows = this.#rows
    const state = await readTailState(tx, this.siteNo, rows.from)
    if (!state || state.isMarked) return false
    if (state.watermark < this.#state.watermark) {
      // After a fail-over, what was stored since may be gone.
      this.#state = { ...this.#state, watermark: state.watermark }
      return false
    }
    // Marks of older buckets are deleted, so a change of them would not be seen.
    if (state.watermark - rows.from > KEPT_MS) throw new TailLost('rollups are far behind')
    if (isMadeAnew(this.#state, state)) throw new TailLost('a day was rolled up again')
    const { watermark } = this.#state
    for (const bucket of changedBuckets(this.#state, state)) {
      const end = Math.min(bucket + BUCKET_MS, watermark)
      await this.#compare(tx, { start: Math.max(bucket, rows.from), end })
    }
    await this.#compare(tx, { start: Math.max(watermark, rows.from) })
    if (!rows.isComplete) throw new TailLost('a closed session got another hit')
    await this.#readExits(tx)
    this.#state = state
    this.#checkSize()
    return true
  }

  /** Adds the hits of a time that are not held; without an end, up to the newest. */
  async #compare(tx: Queryable, { start, end }: { start: number; end?: number }): Promise<void> {
    if (end !== undefined && start >= end) return
    // Whole seconds, since the hits of each are compared.
    const from = Math.floor(start / 1_000)
    const to = end === undefined ? Number.POSITIVE_INFINITY : Math.ceil(end / 1_000)
    const stored = await readSeconds(
      tx,
      this.siteNo,
      Math.max(from * 1_000, this.#rows.from),
      end === undefined ? undefined : to * 1_000,
    )
    const { seconds } = this.#rows
    for (const second of seconds.keys())
      if (second >= from && second < to && !stored.has(second)) throw new TailLost('hits were deleted')
    const changed = [...stored]
      .filter(([second, hits]) => !isSame(seconds.get(second), hits))
      .map(([second]) => second)
      .sort((a, b) => a - b)
    for (const { start: first, end: last } of spansOf(changed)) await this.#readSpan(tx, first, last)
    for (const second of changed)
      if (!isSame(seconds.get(second), stored.get(second)!)) throw new TailLost('hits were deleted')
  }

  async #readSpan(tx: Queryable, first: number, end: number): Promise<void> {
    const known = this.#knownIn(first, end)
    for (const hit of await readHits(tx, this.siteNo, { start: first * 1_000, end: end * 1_000 }))
      if (hit.at >= this.#rows.from && !known.has(keyOf(hit.at - first * 1_000, hit.hash)))
        this.#rows.addHit(hit)
  }

  #knownIn(first: number, end: number): Set<number> {
    const known = new Set<number>()
    const { at, hash } = this.#rows.hits.columns
    for (const { from, to } of this.#rows.hitRanges(first * 1_000, end * 1_000))
      for (let row = from; row < to; row++)
        if (at[row]! >= first * 1_000 && at[row]! < end * 1_000)
          known.add(keyOf(at[row]! - first * 1_000, hash[row]!))
    return known
  }

  /** Of two last pageviews in one millisecond, the row of the session tells which one counts. */
  async #readExits(tx: Queryable): Promise<void> {
    const unclear = [...this.#rows.unclearExits]
    if (unclear.length === 0) return
    const { startedAt, sessionNo } = this.#rows.sessions.columns
    const indexes = new Map(unclear.map(index => [sessionNo[index]!, index]))
    const exits = await readExits(tx, {
      siteNo: this.siteNo,
      startedAts: unclear.map(index => new Date(startedAt[index]!)),
      sessionNos: [...indexes.keys()],
    })
    for (const { sessionNo, exitPath } of exits) this.#rows.setExit(indexes.get(sessionNo)!, exitPath)
    if (this.#rows.unclearExits.size > 0) throw new TailLost('a session is gone')
  }

  /** Whether the tail holds the rows of a slice. */
  holds(slice: RowSlice): boolean {
    const { from } = this.#rows
    const hasNoHits = slice.hitsFrom >= slice.hitsTo
    return isSinceRollup(slice) && slice.closedFrom! >= from && (hasNoHits || slice.hitsFrom >= from)
  }

  /** Counts the rows of a slice, as of the last `advance`. */
  count(slice: RowSlice, dimension: string): CountsByValue {
    return this.#counts.count(slice, dimension, this.#room)
  }

  /** Whether the tail holds all hits since a time, Unix milliseconds. */
  holdsSince(at: number): boolean {
    return at >= this.#rows.from
  }

  /** Counts who is on the site, as of the last `advance`. */
  countLive(input: Tasks['countLive']['input']): LiveCounts {
    return this.#live.count(input)
  }

  /** Drops rows that all rollups hold by now; takes about half a second for a million sessions. */
  prune(): void {
    const { days } = this.#state
    if (days.length === 0) return
    const from = Math.min(...days.map(({ rolledUpTo }) => rolledUpTo)) - SILENCE_MS
    if (from > this.#rows.from) this.#rows.dropBefore(from)
  }

  get #room(): number {
    return this.#limits.maxCountBytes?.() ?? this.#limits.maxBytes() - this.#rows.bytes
  }

  /** Forgets the counts that it keeps, but no rows. */
  forgetCounts(): void {
    this.#counts.reset()
  }

  /** Memory of the rows, and of the counts that are kept, bytes. */
  get bytes(): { rows: number; counts: number } {
    return { rows: this.#rows.bytes, counts: this.#counts.bytes }
  }
}

/** Recent hits are counted only of busy sites. */
const isBusy = ({ watermark, buckets }: TailState): boolean =>
  [...buckets].some(([bucket, { recount }]) => recount !== undefined && bucket > watermark - 2 * BUCKET_MS)

const isSame = (known: SecondHits | undefined, { hits, hash }: SecondHits): boolean =>
  known !== undefined && known.hits === hits && known.hash === hash

/** A number for each hit of a span: its millisecond in the span, and its hash. */
const keyOf = (ms: number, hash: number): number => Math.floor(ms) * 2 ** 32 + (hash >>> 0)

/** Returns the spans that cover the given seconds, ascending, each of at most `FRESH_SECONDS`. */
function spansOf(seconds: readonly number[]): Window[] {
  const spans: Window[] = []
  for (const second of seconds) {
    const last = spans.at(-1)
    if (last && last.end === second && last.end - last.start < FRESH_SECONDS) last.end++
    else spans.push({ start: second, end: second + 1 })
  }
  return spans
}
