import type { Db, Queryable } from '../db/connect.ts'
import { DAY_MS, HOUR_MS } from '../lib/time.ts'
import { type Block, bytesOf, type MoneyBlock, type View } from './block.ts'
import { encodeBlock } from './encode-block.ts'
import { joinBlocks, joinMoney } from './join-blocks.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { DecodedBlocks, PackedBlock } from './packed-block.ts'
import { NO_MONEY, readMoney } from './read-money.ts'
import { REACH_MS, readServiceEvents, readSpans } from './read-rows.ts'
import { blockSpans, type Span } from './spans.ts'
import { readStamps, type Stamps } from './stamps.ts'
import { readStoredBlocks, storeBlock } from './stored-blocks.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** A time span that is asked for, and the starts of sessions that are needed besides those with a hit in it. */
export interface ViewSpan extends Span {
  sessions?: Span | undefined
  /** Whether payments and MRR movements are needed; `whole`: with what may change of their sessions. */
  money?: 'kept' | 'whole' | undefined
  /** Whether nothing else is. */
  onlyMoney?: boolean
}

/** Returns when sessions started that a view holds. */
export function startsOf({ start, end, sessions }: ViewSpan): Span {
  return {
    start: Math.min(start - REACH_MS, sessions?.start ?? start),
    end: Math.max(end + REACH_MS, sessions?.end ?? end),
  }
}

const LEAST_PACKED_HITS = 500

export interface ColumnOptions {
  decoded: DecodedBlocks
  leastPackedHits: number
}

/** Time whose sessions are read and packed at once, milliseconds: more of them would need much memory. */
const SESSIONS_OF_STATEMENT_MS = 4 * DAY_MS
/** Time whose money one statement reads, milliseconds. */
const MONEY_OF_STATEMENT_MS = 7 * DAY_MS
const NO_BOUND = Number.POSITIVE_INFINITY

/** Columns of one site, kept from one read to the next. */
export class SiteColumns {
  readonly #siteNo: number
  readonly #decoded: DecodedBlocks
  readonly #leastPackedHits: number
  readonly #numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  readonly #sessions = new KeptBlocks<Block>({
    kind: 'sessions',
    bytesOf: block => (block instanceof PackedBlock ? block.data.length : bytesOf(block)),
    isFilled: block => block instanceof PackedBlock || block.sessions.count > 0,
    copiesOf: () => undefined,
    join: (blocks, span) => this.#packed(joinBlocks(blocks), span),
    forget: block => block instanceof PackedBlock && this.#decoded.delete(block),
  })
  readonly #service = new KeptBlocks<Block>({
    kind: 'service',
    bytesOf,
    isFilled: block => block.sessions.count > 0,
    copiesOf: block => block,
    join: joinBlocks,
  })
  readonly #money = new KeptBlocks<MoneyBlock>({
    kind: 'money',
    bytesOf: block => bytesOf(block.copies) + 50 * block.count,
    isFilled: block => block.count > 0,
    copiesOf: block => block.copies,
    join: joinMoney,
  })
  /** Joined money of the last view, and its blocks. */
  #joined: { parts: MoneyBlock[]; whole: MoneyBlock } = { parts: [], whole: NO_MONEY }
  #firstAt = Number.NEGATIVE_INFINITY
  #hasRead = false

  /**
   * @param options.decoded where decoded columns are kept, of all sites together
   * @param options.leastPackedHits days with fewer hits are neither packed nor stored: they are made from rows as quickly as they are read
   */
  constructor(
    siteNo: number,
    {
      decoded = new DecodedBlocks(2 ** 30),
      leastPackedHits = LEAST_PACKED_HITS,
    }: Partial<ColumnOptions> = {},
  ) {
    this.#siteNo = siteNo
    this.#decoded = decoded
    this.#leastPackedHits = leastPackedHits
  }

  /** Returns the part of a span in which the site may have sessions, as far as is known. */
  withData(span: Span): Span {
    return since(this.#firstAt, span)
  }

  /** Forgets the blocks of sessions that begin before a time, Unix milliseconds. */
  forgetBefore(at: number): void {
    this.#sessions.forgetBefore(at)
  }

  /** Forgets the blocks that have something from a time on, Unix milliseconds, but money: the database itself stamps that. */
  forgetFrom(at: number): void {
    this.#sessions.forgetFrom(at)
    this.#service.forgetFrom(at)
  }

  /** Forgets all blocks. */
  clear(): void {
    this.#sessions.forgetFrom(Number.NEGATIVE_INFINITY)
  }

  /** About how much memory the site takes without decoded columns, in bytes. */
  get bytes(): number {
    const { texts, visitors } = this.#numbering
    return this.#sessions.bytes + this.#service.bytes + this.#money.bytes + texts.bytes + visitors.bytes
  }

  /**
   * Returns what questions about time spans are counted over: all sessions with a hit in the span, those that the question needs besides, and
   * what the service wrote in the span. One call at a time.
   * @param tx a snapshot: the views are of its moment. Outside of one they are only if `hasRead` is false; what is read is kept all the
   * same, with the stamps from before, so that a change since then makes it old
   * @param now Unix milliseconds
   * @param options.longestMs longest time whose blocks are made from rows for one span, milliseconds
   * @param options.mostBytes most bytes of stored blocks that are read
   * @returns `views`: of a span that lacks more than this the share of its time that is there. `hasRead`: whether rows were read
   */
  async views(
    tx: Queryable,
    spans: readonly ViewSpan[],
    now: number,
    { longestMs = NO_BOUND, mostBytes = NO_BOUND }: { longestMs?: number; mostBytes?: number } = {},
  ): Promise<{ views: (View | number)[]; hasRead: boolean }> {
    const stamps = await readStamps(tx, this.#siteNo)
    this.#firstAt = stamps.firstAt.sessions - REACH_MS
    for (const kept of [this.#sessions, this.#service, this.#money]) kept.forgetOld(stamps)
    const views: (View | number)[] = []
    this.#hasRead = false
    for (const span of spans) {
      const days = span.onlyMoney ? [] : blockSpans(since(this.#firstAt, startsOf(span)), now)
      await this.#loadStored(tx, days, stamps, mostBytes)
      const lacking = lengthOf(this.#sessions.missing(days))
      if (lacking > longestMs) {
        views.push(1 - lacking / lengthOf(days))
        continue
      }
      await this.#bring(this.#sessions, days, stamps, SESSIONS_OF_STATEMENT_MS, async run => {
        const blocks = await readSpans(tx, this.#siteNo, run, this.#numbering)
        return blocks.map((block, index) => this.#packed(block, run[index]!))
      })
      // A day at a time: each event takes a lookup of its session.
      const hours = span.onlyMoney ? [] : blockSpans(since(stamps.firstAt.service, span), now, HOUR_MS)
      await this.#bring(this.#service, hours, stamps, DAY_MS, run =>
        readServiceEvents(tx, this.#siteNo, run, this.#numbering),
      )
      const blocks = [...this.#sessions.of(days, stamps), ...this.#service.of(hours, stamps)]
      views.push({ blocks, money: await this.#moneyOf(tx, span, now, stamps), ...this.#numbering })
    }
    return { views, hasRead: this.#hasRead }
  }

  /** Stores the blocks of days that were made from rows since the last call. */
  async store(db: Db): Promise<void> {
    for (const kept of this.#sessions.all) {
      if (kept.isStored || !(kept.block instanceof PackedBlock)) continue
      kept.isStored = true
      await storeBlock(db, this.#siteNo, { start: kept.start, stamp: kept.stamp, data: kept.block.data })
    }
  }

  /** Makes the blocks that are missing, in runs of adjacent ones that are at most `longestMs` long. */
  async #bring<Of>(
    kept: KeptBlocks<Of>,
    spans: readonly Span[],
    stamps: Stamps,
    longestMs: number,
    read: (run: Span[]) => Promise<Of[]>,
  ): Promise<void> {
    for (const run of runsOf(kept.missing(spans), longestMs)) {
      this.#hasRead = true
      const blocks = await read(run)
      kept.add(
        run.map((span, index) => ({ ...span, block: blocks[index]! })),
        stamps,
      )
    }
  }

  async #loadStored(tx: Queryable, spans: readonly Span[], stamps: Stamps, mostBytes: number): Promise<void> {
    const days = this.#sessions.missing(spans.filter(isDay))
    const stored = await readStoredBlocks(
      tx,
      this.#siteNo,
      days,
      day => stamps.of('sessions', day),
      mostBytes - this.bytes,
    )
    const blocks = stored.map(({ start, data }) => {
      const block = new PackedBlock(data, this.#numbering, this.#decoded)
      block.number()
      return { start, end: start + DAY_MS, block, isStored: true }
    })
    this.#sessions.add(blocks, stamps)
  }

  #packed(block: Block, span: Span): Block {
    if (!isDay(span) || block.hits.count < this.#leastPackedHits) return block
    return new PackedBlock(encodeBlock(block, this.#numbering), this.#numbering, this.#decoded)
  }

  async #moneyOf(tx: Queryable, { end, money }: ViewSpan, now: number, stamps: Stamps): Promise<MoneyBlock> {
    if (!money) return NO_MONEY
    const all = { start: stamps.firstAt.money, end }
    if (!(all.start < all.end)) return NO_MONEY
    if (money === 'whole') {
      this.#hasRead = true
      const [whole] = await readMoney(tx, this.#siteNo, [all], this.#numbering, true)
      return whole!
    }
    const spans = blockSpans(all, now, HOUR_MS)
    await this.#bring(this.#money, spans, stamps, MONEY_OF_STATEMENT_MS, run =>
      readMoney(tx, this.#siteNo, run, this.#numbering, false),
    )
    const parts = this.#money.of(spans, stamps)
    const isSame =
      parts.length === this.#joined.parts.length &&
      parts.every((part, index) => part === this.#joined.parts[index])
    if (!isSame) this.#joined = { parts, whole: parts.length > 0 ? joinMoney(parts) : NO_MONEY }
    return this.#joined.whole
  }
}

/** Returns the part of a span from a time on. */
const since = (at: number, { start, end }: Span): Span => ({ start: Math.max(start, at), end })

const isDay = ({ start, end }: Span) => end - start === DAY_MS

/** Returns how much time spans cover, in milliseconds; what is to come counts as a day. */
const lengthOf = (spans: readonly Span[]) =>
  spans.reduce((sum, { start, end }) => sum + Math.min(end - start, DAY_MS), 0)

/** Divides spans into runs of adjacent ones that are read at once; a run of several is at most `longestMs` long. */
function runsOf(spans: readonly Span[], longestMs: number): Span[][] {
  const runs: Span[][] = []
  for (const span of spans) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.end === span.start
    if (run && isNext && span.end - run[0]!.start <= longestMs) run.push(span)
    else runs.push([span])
  }
  return runs
}
