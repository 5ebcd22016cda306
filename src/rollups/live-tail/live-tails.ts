import { setTimeout as sleep } from 'node:timers/promises'
import { abandonWhen, independently, unlessAbandoned } from '../../db/abandon.ts'
import { type Db, inSnapshot, type Queryable, type Transaction } from '../../db/connect.ts'
import { isRetryable, isUnavailable } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { LiveTail } from './live-tail.ts'
import { RebuildPauses } from './rebuild-pauses.ts'
import { askingReader, type CountInTail, readerOf, type TailReader } from './tail-reader.ts'
import { TailLost } from './tail-shape.ts'

/** How often the rows that are new are added without a read: each read adds those since. */
const EVERY_MS = 2_000
/** A tail that no read has used for so long goes. */
const IDLE_MS = 10 * MINUTE_MS
/** Most time of that, so that reads which wait for the tail get their turn. */
const ADVANCE_MS = 4_000
/** Shortest time between the end of a tail, or of an attempt to build it, and the next attempt. */
const AGAIN_MS = 30_000

export interface LiveTailOptions {
  /** Most memory of all tails, bytes. */
  maxBytes: number
  everyMs?: number
  againMs?: number
  advanceMs?: number
}

/** The tail of a site, used by one snapshot at a time: a snapshot cannot take back what a later one has added. */
interface Kept {
  tail: LiveTail
  builtAt: number
  usedAt: number
  /** Resolves when all that came before are done. */
  line: Promise<void>
}

/** The tails of sites in the memory of this thread. */
export class LiveTails {
  readonly #db: Db
  readonly #options: Required<LiveTailOptions>
  readonly #tails = new Map<number, Kept>()
  readonly #pauses: RebuildPauses
  #building: Promise<void> | undefined
  readonly #stopped = new AbortController()

  constructor(db: Db, options: LiveTailOptions) {
    this.#db = db
    this.#options = { everyMs: EVERY_MS, againMs: AGAIN_MS, advanceMs: ADVANCE_MS, ...options }
    this.#pauses = new RebuildPauses(this.#options.againMs)
  }

  /** Runs a read as `inTailSnapshot` does. */
  async read<Result>(
    siteNo: number,
    read: (tx: Transaction, tail: TailReader) => Promise<Result>,
  ): Promise<Result> {
    const found = this.#tails.get(siteNo)
    if (!found) {
      const reader = askingReader(() => this.#ask(siteNo))
      return inSnapshot(this.#db, tx => read(tx, reader))
    }
    return this.#inSnapshotOf(found, (tx, countInTail) => read(tx, readerOf(found.tail, countInTail)))
  }

  /**
   * Reads nothing but the tail of a site, in a snapshot of its own.
   * @returns undefined when rows must be read
   */
  async readAlone<Result>(
    siteNo: number,
    holds: (tail: LiveTail) => boolean,
    read: (tail: LiveTail) => Result,
  ): Promise<Result | undefined> {
    const found = this.#tails.get(siteNo)
    if (!found) {
      this.#ask(siteNo)
      return undefined
    }
    const { tail } = found
    // Without waiting for reads before this one.
    if (!holds(tail)) return undefined
    return this.#inSnapshotOf(found, (_, countInTail) =>
      countInTail(
        () => holds(tail),
        () => read(tail),
      ),
    )
  }

  async #inSnapshotOf<Result>(
    found: Kept,
    read: (tx: Transaction, countInTail: CountInTail) => Promise<Result>,
  ): Promise<Result> {
    found.usedAt = Date.now()
    const leave = await enter(found)
    try {
      return await inSnapshot(this.#db, tx => read(tx, this.#countingIn(found, tx, leave)))
    } finally {
      leave()
    }
  }

  /** Begins to build the tail of a site that has none, unless one is being built or it is too early. */
  #ask(siteNo: number): void {
    if (this.#stopped.signal.aborted || this.#building || !this.#pauses.isOver(siteNo, Date.now())) return
    void this.build(siteNo)
  }

  #countingIn(found: Kept, tx: Queryable, leave: () => void): CountInTail {
    const { tail } = found
    let advanced: Promise<boolean> | undefined
    let hasLeft = false
    return async (holds, count) => {
      try {
        // After it was left, another snapshot may add to it at any time.
        if (hasLeft || !holds() || this.#tails.get(tail.siteNo) !== found) return undefined
        advanced ??= tail.advance(tx)
        return (await advanced) ? count() : undefined
      } catch (error) {
        if (!isFailedStatement(error)) this.#lose(found, error)
        if (!(error instanceof TailLost)) throw error
        return undefined
      } finally {
        hasLeft = true
        leave()
      }
    }
  }

  /** Builds the tail of a site in the background, unless another one is being built. @returns when it is there, or cannot be */
  build(siteNo: number): Promise<void> {
    this.#building ??= independently(() => this.#buildNow(siteNo)).finally(() => {
      this.#building = undefined
    })
    return this.#building
  }

  async #buildNow(siteNo: number): Promise<void> {
    try {
      const tail = await LiveTail.build(this.#db, siteNo, {
        maxBytes: () => this.#options.maxBytes - this.#rowsOf(this.#others(siteNo)),
        maxCountBytes: () => this.#roomForCounts(siteNo),
      })
      if (!tail || this.#stopped.signal.aborted) {
        this.#pauses.beginShort(siteNo, Date.now())
        return
      }
      const found: Kept = { tail, builtAt: Date.now(), usedAt: Date.now(), line: Promise.resolve() }
      this.#tails.set(siteNo, found)
      void this.#keepWarm(found)
    } catch (error) {
      // Rows changed meanwhile, take too much memory, or the database is away: reads count them, and ask again.
      this.#pauses.begin(siteNo, Date.now(), 0, error)
    }
  }

  async #keepWarm(found: Kept): Promise<void> {
    const { signal } = this.#stopped
    const { siteNo } = found.tail
    while (this.#tails.get(siteNo) === found) {
      await sleep(this.#options.everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted || Date.now() - found.usedAt > IDLE_MS) this.#tails.delete(siteNo)
      else await this.#advance(found)
    }
  }

  async #advance(found: Kept): Promise<void> {
    const leave = await enter(found)
    try {
      const advance = () => inSnapshot(this.#db, tx => found.tail.advance(tx))
      await abandonWhen(AbortSignal.timeout(this.#options.advanceMs), advance)
      found.tail.prune()
      // Rows have grown, so counts may have to go.
      if (this.#roomForCounts(found.tail.siteNo) < found.tail.bytes.counts) found.tail.forgetCounts()
    } catch (error) {
      // When the database is away or slow, the tail stays, and the next snapshot adds what it lacks.
      if (!isFailedStatement(error)) this.#lose(found, error)
    } finally {
      leave()
    }
  }

  #lose(found: Kept, reason: unknown): void {
    const { siteNo } = found.tail
    if (this.#tails.get(siteNo) !== found) return
    this.#tails.delete(siteNo)
    this.#pauses.begin(siteNo, Date.now(), Date.now() - found.builtAt, reason)
  }

  #others(siteNo: number): Kept[] {
    return [...this.#tails.values()].filter(({ tail }) => tail.siteNo !== siteNo)
  }

  #rowsOf(some: Iterable<Kept>): number {
    return [...some].reduce((sum, { tail }) => sum + tail.bytes.rows, 0)
  }

  /** Memory that all rows, and the counts of other sites, leave to the counts of a site, bytes. */
  #roomForCounts(siteNo: number): number {
    const others = this.#others(siteNo).reduce((sum, { tail }) => sum + tail.bytes.counts, 0)
    return this.#options.maxBytes - this.#rowsOf(this.#tails.values()) - others
  }

  /** Whether the tail of a site is in memory. */
  has(siteNo: number): boolean {
    return this.#tails.has(siteNo)
  }

  /** Drops all tails and keeps no more. */
  stop(): void {
    this.#stopped.abort()
    this.#tails.clear()
  }
}

/** Whether a statement failed, or was abandoned, and another attempt makes sense. Any other error may leave a tail half changed. */
const isFailedStatement = (error: unknown): boolean =>
  error instanceof AppError || isUnavailable(error) || isRetryable(error)

/**
 * Waits until a tail is free.
 * @returns ends the use; may be called more than once
 * @throws AppError `unavailable` when the read is abandoned meanwhile
 */
async function enter(found: Kept): Promise<() => void> {
  const before = found.line
  let leave = () => {}
  found.line = new Promise(resolve => {
    leave = resolve
  })
  try {
    await unlessAbandoned(before)
  } catch (error) {
    void before.then(leave)
    throw error
  }
  return leave
}
