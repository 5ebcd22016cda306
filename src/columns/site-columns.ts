import type { Queryable } from '../db/connect.ts'
import { DAY_MS, HOUR_MS } from '../lib/time.ts'
import { type Block, bytesOf, type MoneyBlock, type View } from './block.ts'
import { joinBlocks } from './join-blocks.ts'
import { noMoney, readMoney } from './read-money.ts'
import { REACH_MS, readServiceEvents, readSpans } from './read-rows.ts'
import { blockSpans, dayOf, type Span } from './spans.ts'
import { readStamps, type StampKind, type Stamps } from './stamps.ts'
import { SiteTexts } from './texts.ts'
import { VisitorNumbers } from './visitor-numbers.ts'

/** A block of a span, and the stamps of the rows from which it was made. */
interface Kept extends Span {
  block: Block
  bytes: number
  /** The stamps of its span, and of what it has copied from elsewhere. */
  stamp: bigint
}

/** A time span that is asked for, and the starts of sessions that are needed besides those with a hit in it. */
export interface ViewSpan extends Span {
  sessions?: Span | undefined
  /** Whether payments and MRR movements are needed, and whether nothing else is. */
  money?: boolean
  onlyMoney?: boolean
}

/** Returns when sessions started that a view holds. */
export function startsOf({ start, end, sessions }: ViewSpan): Span {
  return {
    start: Math.min(start - REACH_MS, sessions?.start ?? start),
    end: Math.max(end + REACH_MS, sessions?.end ?? end),
  }
}

/** Columns of one site, kept from one read to the next. */
export class SiteColumns {
  readonly #siteNo: number
  readonly #texts = new SiteTexts()
  readonly #visitors = new VisitorNumbers()
  #kept: Record<StampKind, Kept[]> = { sessions: [], service: [] }
  #firstAt = Number.NEGATIVE_INFINITY
  #hasRead = false

  constructor(siteNo: number) {
    this.#siteNo = siteNo
  }

  /** Returns the part of a span in which the site may have sessions, as far as is known. */
  withData(span: Span): Span {
    return since(this.#firstAt, span)
  }

  /** Forgets the blocks that begin before a time, Unix milliseconds. */
  forgetBefore(at: number): void {
    for (const kind of ['sessions', 'service'] as const) {
      this.#kept[kind] = this.#kept[kind].filter(({ start }) => start >= at)
    }
  }

  /** About how much memory the site takes, in bytes. */
  get bytes(): number {
    const kept = [...this.#kept.sessions, ...this.#kept.service]
    return kept.reduce((sum, { bytes }) => sum + bytes, this.#texts.bytes + this.#visitors.bytes)
  }

  /**
   * Returns what questions about time spans are counted over: all sessions with a hit in the span, those that the question needs besides, and
   * what the service wrote in the span. One call at a time.
   * @param tx a snapshot: the views are of its moment. Outside of one they are only if `hasRead` is false; what is read is kept all the
   * same, with the stamps from before, so that a change since then makes it old
   * @param now Unix milliseconds
   * @param longestMs longest time whose blocks are made from rows for one span, milliseconds
   * @returns `views`: of a span that lacks more than this the share of its time that is there. `hasRead`: whether rows were read
   */
  async views(
    tx: Queryable,
    spans: readonly ViewSpan[],
    now: number,
    longestMs = Number.POSITIVE_INFINITY,
  ): Promise<{ views: (View | number)[]; hasRead: boolean }> {
    const stamps = await readStamps(tx, this.#siteNo)
    this.#firstAt = stamps.firstAt.sessions - REACH_MS
    const views: (View | number)[] = []
    this.#hasRead = false
    for (const span of spans) {
      const started = span.onlyMoney ? [] : blockSpans(since(this.#firstAt, startsOf(span)), now)
      const lacking = lengthOf(this.#missing('sessions', started, stamps))
      if (lacking > longestMs) {
        views.push(1 - lacking / lengthOf(started))
        continue
      }
      const sessions = await this.#bring('sessions', started, stamps, missing =>
        this.#readSessions(tx, missing),
      )
      const service = await this.#bring(
        'service',
        span.onlyMoney ? [] : blockSpans(since(stamps.firstAt.service, span), now, HOUR_MS),
        stamps,
        missing => this.#readService(tx, missing),
      )
      views.push({
        blocks: [...sessions, ...service],
        money: await this.#moneyOf(tx, span),
        ...this.#numbering,
      })
    }
    return { views, hasRead: this.#hasRead }
  }

  /** Returns the blocks of spans. Those that are missing or old are read, and kept in place of the old ones. */
  async #bring(
    kind: StampKind,
    spans: Span[],
    stamps: Stamps,
    read: (missing: Span[]) => Promise<Block[]>,
  ): Promise<Block[]> {
    if (spans.length === 0) return []
    const known = this.#validOf(kind, stamps)
    const byStart = new Map(known.map(kept => [kept.start, kept]))
    const found = spans.map(span => blockOf(findKept(byStart, span)))
    const missing = spans.filter((_, index) => !found[index])
    const made = await read(missing)
    this.#hasRead ||= missing.length > 0
    const kept = spans.map((span, index): Kept => {
      const block = found[index] ?? made.shift()!
      return { ...span, block, bytes: bytesOf(block), stamp: stampOf(kind, span, block, stamps) }
    })
    const [from, to] = [spans[0]!.start, spans.at(-1)!.end]
    const others = known.filter(({ start, end }) => end <= from || start >= to)
    this.#kept[kind] = [...others, ...kept]
    return kept.map(({ block }) => block).filter(isFilled)
  }

  /** Returns the kept blocks that are as the rows. */
  #validOf(kind: StampKind, stamps: Stamps): Kept[] {
    return this.#kept[kind].filter(kept => kept.stamp === stampOf(kind, kept, kept.block, stamps))
  }

  /** Returns the spans that no kept block fills. */
  #missing(kind: StampKind, spans: Span[], stamps: Stamps): Span[] {
    const byStart = new Map(this.#validOf(kind, stamps).map(kept => [kept.start, kept]))
    return spans.filter(span => !findKept(byStart, span))
  }

  async #moneyOf(tx: Queryable, span: ViewSpan): Promise<MoneyBlock> {
    if (!span.money) return noMoney(this.#numbering)
    this.#hasRead = true
    return readMoney(tx, this.#siteNo, span, this.#numbering)
  }

  async #readSessions(tx: Queryable, missing: Span[]): Promise<Block[]> {
    const blocks: Block[] = []
    for (const spans of stretches(missing)) {
      blocks.push(...(await readSpans(tx, this.#siteNo, spans, this.#numbering)))
    }
    return blocks
  }

  async #readService(tx: Queryable, missing: Span[]): Promise<Block[]> {
    const blocks: Block[] = []
    // A day at a time: each event takes a lookup of its session.
    for (const spans of stretches(missing, DAY_MS)) {
      blocks.push(...(await readServiceEvents(tx, this.#siteNo, spans, this.#numbering)))
    }
    return blocks
  }

  get #numbering() {
    return { texts: this.#texts, visitors: this.#visitors }
  }
}

/** Returns the part of a span from a time on. */
const since = (at: number, { start, end }: Span): Span => ({ start: Math.max(start, at), end })

const isFilled = ({ sessions }: Block) => sessions.count > 0

/** Returns how much time spans cover, in milliseconds; what is to come counts as a day. */
const lengthOf = (spans: readonly Span[]) =>
  spans.reduce((sum, { start, end }) => sum + Math.min(end - start, DAY_MS), 0)

/** Returns the kept blocks that fill a span, in order. No two kept ones overlap. */
function findKept(byStart: ReadonlyMap<number, Kept>, { start, end }: Span): Block[] | undefined {
  const parts: Block[] = []
  for (let at = start; at < end; ) {
    const part = byStart.get(at)
    if (!part || part.end > end) return undefined
    parts.push(part.block)
    at = part.end
  }
  return parts
}

/** Returns the blocks of a span as one. */
function blockOf(parts: Block[] | undefined): Block | undefined {
  const filled = parts?.filter(isFilled) ?? []
  return filled.length > 1 ? joinBlocks(filled) : (filled[0] ?? parts?.[0])
}

/**
 * Returns the stamps of a block. Events of the service have copies of their sessions, which may have started on any day: the stamps of those
 * days belong to it, too.
 */
function stampOf(kind: StampKind, span: Span, { sessions }: Block, stamps: Stamps): bigint {
  let stamp = stamps.of(kind, span)
  if (kind === 'sessions') return stamp
  for (const start of new Set(Array.from(sessions.startedAt, dayOf))) {
    stamp ^= stamps.of('sessions', { start, end: start + DAY_MS })
  }
  return stamp
}

/**
 * Divides spans into runs of adjacent ones that are read at once.
 * @param longestMs length of a run of several, milliseconds
 */
function stretches(spans: readonly Span[], longestMs = Number.POSITIVE_INFINITY): Span[][] {
  const runs: Span[][] = []
  for (const span of spans) {
    const run = runs.at(-1)
    const isNext = run?.at(-1)?.end === span.start
    if (run && isNext && span.end - run[0]!.start <= longestMs) run.push(span)
    else runs.push([span])
  }
  return runs
}
