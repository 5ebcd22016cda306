import type { Db, Queryable } from '../../platform/db/connect.ts'
import { DAY_MS, HOUR_MS } from '../../platform/lib/time.ts'
import { type Block, bytesOf, type MoneyBlock, type View } from './block.ts'
import { encodeBlock } from './encode-block.ts'
import { joinBlocks, joinMoney } from './join-blocks.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { DecodedBlocks, PackedBlock } from './packed-block.ts'
import { NO_MONEY, readMoney } from './read-money.ts'
import { REACH_MS, readSpans } from './read-rows.ts'
import { keepService, SERVICE_READS } from './service-blocks.ts'
import { blockSpans, isDay, lengthOf, runsOf, type Span, since } from './spans.ts'
import { readStamps, type Stamps } from './stamps.ts'
import { type ListedBlock, listStoredBlocks, readStoredBlocks, storeBlock } from './stored-blocks.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** A time span that is asked for, and the starts of sessions that are needed besides those with a hit in it. */
export interface ViewSpan extends Span {
  sessions?: Span | undefined
  /** Whether payments and MRR movements are needed; `whole`: with what may change of their sessions. */
  money?: 'kept' | 'whole' | undefined
  /** What alone is needed: payments and MRR movements, or when the service wrote events. */
  only?: 'money' | 'service' | undefined
}

/** Returns when sessions started that a view holds. */
export function startsOf({ start, end, sessions }: ViewSpan): Span {
  return {
    start: Math.min(start - REACH_MS, sessions?.start ?? start),
    end: Math.max(end + REACH_MS, sessions?.end ?? end),
  }
}

/** Returns what a view is asked for that holds the sessions that started in a span. */
export const viewOfStarts = ({ start, end }: Span): ViewSpan => ({
  start: start + REACH_MS,
  end: end - REACH_MS,
})

const LEAST_PACKED_HITS = 500

export interface ColumnOptions {
  decoded: DecodedBlocks
  leastPackedHits: number
}

interface Limits {
  /** Longest time whose blocks are made from rows for one span, milliseconds. */
  longestMs?: number
  /** Most memory that the site may take without decoded columns, bytes: what other spans need goes first. */
  mostBytes?: number
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
  #numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  readonly #sessions = new KeptBlocks<Block>({
    kind: 'sessions',
    bytesOf: block => (block instanceof PackedBlock ? block.bytes : bytesOf(block)),
    isFilled: block => block instanceof PackedBlock || block.sessions.count > 0,
    copiesOf: () => undefined,
    join: (blocks, span) => this.#packed(joinBlocks(blocks), span),
    forget: block => block instanceof PackedBlock && this.#decoded.delete(block),
  })
  readonly #service = keepService()
  readonly #money = new KeptBlocks<MoneyBlock>({
    kind: 'money',
    bytesOf: bytesOfMoney,
    isFilled: block => block.count > 0,
    copiesOf: block => block.copies,
    join: joinMoney,
  })
  readonly #kinds = [this.#sessions, this.#service.events, this.#service.times, this.#money]
  /** Joined money of the last view, and its blocks. */
  #joined: { parts: MoneyBlock[]; whole: MoneyBlock } = NOTHING_JOINED
  /** How many persons had been erased from the site when its columns were begun. */
  #erasures = 0
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

  /** Forgets the blocks that have something from a time on, Unix milliseconds, but money: the database itself stamps that. */
  forgetFrom(at: number): void {
    this.#sessions.forgetFrom(at)
    for (const kept of Object.values(this.#service)) kept.forgetFrom(at)
  }

  /** Forgets everything, also texts and visitors. Views stay as they are. */
  clear(): void {
    for (const kept of this.#kinds) kept.forgetFrom(Number.NEGATIVE_INFINITY)
    this.#joined = NOTHING_JOINED
    this.#numbering = { texts: new SiteTexts(), visitors: new VisitorNumbers() }
  }

  /** About how much memory the site takes without decoded columns, in bytes. */
  get bytes(): number {
    const { texts, visitors } = this.#numbering
    const joined = this.#joined.parts.length > 1 ? bytesOfMoney(this.#joined.whole) : 0
    return this.#kinds.reduce((sum, { bytes }) => sum + bytes, joined + texts.bytes + visitors.bytes)
  }

  /**
   * Returns what questions about time spans are counted over: all sessions with a hit in the span, those that the question needs besides, and
   * what the service wrote in the span. One call at a time.
   * @param tx a snapshot: the views are of its moment. Outside of one they are only if `hasRead` is false; what is read is kept all the
   * same, with the stamps from before, so that a change since then makes it old
   * @param now Unix milliseconds
   * @returns `views`: of a span that lacks more than `longestMs` the share of its time that is there, `large` where its columns take more memory
   * than they may. `hasRead`: whether rows were read
   */
  async views(
    tx: Queryable,
    spans: readonly ViewSpan[],
    now: number,
    limits: Limits = {},
  ): Promise<{ views: (View | number | 'large')[]; hasRead: boolean }> {
    const stamps = await readStamps(tx, this.#siteNo)
    // Blocks of erased rows are old; their texts would stay.
    if (stamps.erasures !== this.#erasures) this.clear()
    this.#erasures = stamps.erasures
    this.#firstAt = stamps.firstAt.sessions - REACH_MS
    for (const kept of this.#kinds) kept.forgetOld(stamps)
    const { mostBytes = NO_BOUND } = limits
    const views: (View | number | 'large')[] = []
    this.#hasRead = false
    for (const span of spans) {
      const isAlone = this.#kinds.every(({ all }) => all.length === 0)
      let view = await this.#view(tx, span, now, stamps, limits)
      if (view !== 'large' && this.bytes > mostBytes && !isAlone) {
        this.clear()
        view = await this.#view(tx, span, now, stamps, limits)
      }
      views.push(this.bytes > mostBytes ? 'large' : view)
    }
    return { views, hasRead: this.#hasRead }
  }

  async #view(
    tx: Queryable,
    span: ViewSpan,
    now: number,
    stamps: Stamps,
    { longestMs = NO_BOUND, mostBytes = NO_BOUND }: Limits,
  ): Promise<View | number | 'large'> {
    const days = span.only ? [] : blockSpans(since(this.#firstAt, startsOf(span)), now)
    if (!(await this.#loadStored(tx, days, stamps, mostBytes))) return 'large'
    const lacking = lengthOf(this.#sessions.missing(days))
    if (lacking > longestMs) return 1 - lacking / lengthOf(days)
    const isWhole = await this.#bring(this.#sessions, days, stamps, SESSIONS_OF_STATEMENT_MS, async run => {
      const blocks = await readSpans(tx, this.#siteNo, run, this.#numbering, this.#decoded.maxBytes)
      return blocks?.map((block, index) => this.#packed(block, run[index]!))
    })
    if (!isWhole) return 'large'
    const sessions = this.#sessions.of(days, stamps)
    if (!this.#fit(days, [], mostBytes)) return 'large'
    const hours = span.only === 'money' ? [] : blockSpans(since(stamps.firstAt.service, span), now, HOUR_MS)
    const form = span.only === 'service' ? 'times' : 'events'
    const { read, longestMs: atOnce } = SERVICE_READS[form]
    await this.#bring(this.#service[form], hours, stamps, atOnce, run =>
      read(tx, this.#siteNo, run, this.#numbering),
    )
    const blocks = [...sessions, ...this.#service[form].of(hours, stamps)]
    return { blocks, money: await this.#moneyOf(tx, span, now, stamps), ...this.#numbering }
  }

  /** Stores the blocks of days that were made from rows since the last call. */
  async store(db: Db): Promise<void> {
    for (const kept of this.#sessions.all) {
      if (kept.isStored || !(kept.block instanceof PackedBlock)) continue
      kept.isStored = true
      const { data, decodedBytes } = kept.block
      await storeBlock(db, this.#siteNo, { start: kept.start, stamp: kept.stamp, decodedBytes, data })
    }
  }

  /**
   * Makes the blocks that are missing, in runs of adjacent ones that are at most `longestMs` long.
   * @param read undefined when a run is too large
   * @returns whether all are there
   */
  async #bring<Of>(
    kept: KeptBlocks<Of>,
    spans: readonly Span[],
    stamps: Stamps,
    longestMs: number,
    read: (run: Span[]) => Promise<Of[] | undefined>,
  ): Promise<boolean> {
    for (const run of runsOf(kept.missing(spans), longestMs)) {
      this.#hasRead = true
      const blocks = await read(run)
      if (!blocks) return false
      kept.add(
        run.map((span, index) => ({ ...span, block: blocks[index]! })),
        stamps,
      )
    }
    return true
  }

  /** @returns false where the spans have too many stored blocks; none is read then */
  async #loadStored(
    tx: Queryable,
    spans: readonly Span[],
    stamps: Stamps,
    mostBytes: number,
  ): Promise<boolean> {
    const stampOf = (day: Span) => stamps.of('sessions', day)
    const days = this.#sessions.missing(spans.filter(isDay))
    const listed = await listStoredBlocks(tx, this.#siteNo, days, stampOf)
    if (!this.#fit(spans, listed, mostBytes)) return false
    for await (const part of readStoredBlocks(tx, this.#siteNo, listed, stampOf)) {
      const blocks = part.map(({ start, data, decodedBytes }) => {
        const block = new PackedBlock(data, decodedBytes, this.#numbering, this.#decoded)
        block.number()
        return { start, end: start + DAY_MS, block, isStored: true }
      })
      this.#sessions.add(blocks, stamps)
    }
    return true
  }

  /** Returns whether the packed blocks of spans fit, those that are kept and those that are only stored, also when all are decoded. */
  #fit(spans: readonly Span[], stored: readonly ListedBlock[], mostBytes: number): boolean {
    const starts = new Set(spans.map(({ start }) => start))
    const kept = this.#sessions.all.flatMap(({ start, block }) =>
      block instanceof PackedBlock && starts.has(start) ? block : [],
    )
    let [packed, decoded] = [0, 0]
    for (const { bytes, decodedBytes } of [...kept, ...stored]) {
      packed += bytes
      decoded += decodedBytes
    }
    return packed <= mostBytes && decoded <= this.#decoded.maxBytes
  }

  #packed(block: Block, span: Span): Block {
    if (!isDay(span) || block.hits.count < this.#leastPackedHits) return block
    const data = encodeBlock(block, this.#numbering)
    return new PackedBlock(data, bytesOf(block), this.#numbering, this.#decoded)
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

const NOTHING_JOINED = { parts: [], whole: NO_MONEY }

const bytesOfMoney = (block: MoneyBlock) => bytesOf(block.copies) + 50 * block.count
