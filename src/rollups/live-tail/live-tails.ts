import { setTimeout as sleep } from 'node:timers/promises'
import { independently } from '../../db/abandon.ts'
import { type Db, inSnapshot, type Queryable, type Transaction } from '../../db/connect.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { type CountsByValue, isSinceRollup, type RowSlice } from '../daily/row-slice.ts'
import { isInTail } from './count-values.ts'
import { LiveTail } from './live-tail.ts'
import { TailLost } from './tail-shape.ts'

/** How often the rows that are new are added without a read: each read adds those since. */
const EVERY_MS = 2_000
/** A tail that no read has used for so long goes. */
const IDLE_MS = 10 * MINUTE_MS
/** Shortest time between the end of one attempt to build a tail and the next. */
const AGAIN_MS = 30_000

export interface LiveTailOptions {
  /** Most memory of all tails, bytes. */
  maxBytes: number
  everyMs?: number
  againMs?: number
}

/** The tail of a site, used by one snapshot at a time: a snapshot cannot take back what a later one has added. */
interface Kept {
  tail: LiveTail
  usedAt: number
  /** Resolves when all that came before are done. */
  line: Promise<void>
}

/** Counts the values of a slice from memory, in the snapshot of a read. */
export interface TailReader {
  /** @returns undefined when rows must be counted */
  count(slice: RowSlice, dimension: string): Promise<CountsByValue | undefined>
}

const NO_TAIL: TailReader = { count: async () => undefined }

const kept = new WeakMap<Db, LiveTails>()

/** Lets reads of a connection pool keep the last rows of busy sites in memory. */
export function keepLiveTails(db: Db, options: LiveTailOptions): LiveTails {
  const tails = new LiveTails(db, options)
  kept.set(db, tails)
  return tails
}

/** Runs a read of a site in one snapshot, with the tail of the site if there is one. */
export const inTailSnapshot = <Result>(
  db: Db,
  siteNo: number,
  read: (tx: Transaction, tail: TailReader) => Promise<Result>,
): Promise<Result> => kept.get(db)?.read(siteNo, read) ?? inSnapshot(db, tx => read(tx, NO_TAIL))

/** The tails of sites in the memory of this thread. */
export class LiveTails {
  readonly #db: Db
  readonly #options: Required<LiveTailOptions>
  readonly #tails = new Map<number, Kept>()
  /** Before that time, no tail of the site is built again. Unix milliseconds. */
  readonly #notBefore = new Map<number, number>()
  #building: Promise<void> | undefined
  readonly #stopped = new AbortController()

  constructor(db: Db, options: LiveTailOptions) {
    this.#db = db
    this.#options = { everyMs: EVERY_MS, againMs: AGAIN_MS, ...options }
  }

  /** Runs a read as `inTailSnapshot` does. */
  async read<Result>(
    siteNo: number,
    read: (tx: Transaction, tail: TailReader) => Promise<Result>,
  ): Promise<Result> {
    const found = this.#tails.get(siteNo)
    if (!found) {
      const reader = this.#stopped.signal.aborted ? NO_TAIL : this.#asking(siteNo)
      return inSnapshot(this.#db, tx => read(tx, reader))
    }
    found.usedAt = Date.now()
    const leave = await enter(found)
    try {
      return await inSnapshot(this.#db, tx => read(tx, this.#reader(found, tx, leave)))
    } finally {
      leave()
    }
  }

  /** Asks for a tail of a site that has none. Its rows are counted until the tail is there. */
  #asking(siteNo: number): TailReader {
    return {
      count: async (slice, dimension) => {
        const isDue = !this.#building && Date.now() >= (this.#notBefore.get(siteNo) ?? 0)
        if (isDue && isSinceRollup(slice) && isInTail(dimension)) void this.build(siteNo)
        return undefined
      },
    }
  }

  #reader(found: Kept, tx: Queryable, leave: () => void): TailReader {
    const { tail } = found
    let advanced: Promise<boolean> | undefined
    let hasLeft = false
    return {
      count: async (slice, dimension) => {
        try {
          const isUsable = isInTail(dimension) && tail.holds(slice) && this.#tails.get(tail.siteNo) === found
          // After it was left, another snapshot may add to it at any time.
          if (hasLeft || !isUsable) return undefined
          advanced ??= tail.advance(tx)
          return (await advanced) ? tail.count(slice, dimension) : undefined
        } catch (error) {
          if (!(error instanceof TailLost)) throw error
          this.#lose(found)
          return undefined
        } finally {
          hasLeft = true
          leave()
        }
      },
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
    const startedAt = Date.now()
    try {
      const others = [...this.#tails.values()].reduce((sum, { tail }) => sum + tail.bytes, 0)
      const maxBytes = this.#options.maxBytes - others
      const tail = await LiveTail.build(this.#db, siteNo, { maxBytes })
      if (!tail || this.#stopped.signal.aborted) return
      const found: Kept = { tail, usedAt: Date.now(), line: Promise.resolve() }
      this.#tails.set(siteNo, found)
      void this.#keepWarm(found)
    } catch {
      // Rows changed meanwhile, take too much memory, or the database is away: reads count them, and ask again.
    } finally {
      const tookMs = Date.now() - startedAt
      this.#notBefore.set(siteNo, Date.now() + Math.max(tookMs, this.#options.againMs))
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
      await inSnapshot(this.#db, tx => found.tail.advance(tx))
      found.tail.prune()
    } catch (error) {
      if (error instanceof TailLost) this.#lose(found)
      // Otherwise the database is away: the tail stays, and the next snapshot adds what it lacks.
    } finally {
      leave()
    }
  }

  #lose(found: Kept): void {
    if (this.#tails.get(found.tail.siteNo) === found) this.#tails.delete(found.tail.siteNo)
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

/** Waits until a tail is free. @returns ends the use; may be called more than once */
async function enter(found: Kept): Promise<() => void> {
  const before = found.line
  let leave = () => {}
  found.line = new Promise(resolve => {
    leave = resolve
  })
  await before
  return leave
}
