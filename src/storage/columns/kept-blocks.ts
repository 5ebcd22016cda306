import { DAY_MS } from '../../platform/lib/time.ts'
import type { Block } from './block.ts'
import { dayOf, type Span } from './spans.ts'
import type { StampKind, Stamps } from './stamps.ts'

/** What an entry takes besides its columns, bytes. */
const BYTES_OF_ENTRY = 300

/** A block of a span, and the stamps of the rows from which it was made. */
export interface Kept<Of> extends Span {
  block: Of
  bytes: number
  /** Whether it has rows. */
  isFilled: boolean
  /** The stamps of its span, and of `copied`. */
  stamp: bigint
  /** Days on which the sessions started that it copies. */
  copied: number[]
  isStored: boolean
}

/** How blocks of a kind are handled. */
export interface BlockKind<Of> {
  kind: StampKind
  bytesOf(block: Of): number
  isFilled(block: Of): boolean
  /** Its copies of sessions, if it has any. */
  copiesOf(block: Of): Block | undefined
  /** Joins the blocks that fill a span. */
  join(blocks: Of[], span: Span): Of
  /** Told of each block that is forgotten. */
  forget?(block: Of): void
}

/** Blocks of one kind that do not overlap. */
export class KeptBlocks<Of> {
  readonly #of: BlockKind<Of>
  #kept: Kept<Of>[] = []
  bytes = 0

  constructor(of: BlockKind<Of>) {
    this.#of = of
  }

  get all(): readonly Kept<Of>[] {
    return this.#kept
  }

  /** Forgets the blocks that end after a time, Unix milliseconds. */
  forgetFrom(at: number): void {
    this.#set(this.#kept.filter(({ end }) => end <= at))
  }

  /** Forgets the blocks whose rows have changed. */
  forgetOld(stamps: Stamps): void {
    this.#set(this.#kept.filter(kept => kept.stamp === this.#stampOf(kept, kept.copied, stamps)))
  }

  /** Returns the spans that no kept block fills, alone or with others. */
  missing(spans: readonly Span[]): Span[] {
    const byStart = this.#byStart()
    return spans.filter(span => !partsOf(byStart, span))
  }

  /** Keeps blocks in place of those that they overlap. */
  add(blocks: readonly (Span & { block: Of; isStored?: boolean })[], stamps: Stamps): void {
    if (blocks.length === 0) return
    const added = blocks.map(({ start, end, block, isStored = false }): Kept<Of> => {
      const copies = this.#of.copiesOf(block)
      const copied = copies ? [...new Set(Array.from(copies.sessions.startedAt, dayOf))] : []
      const stamp = this.#stampOf({ start, end }, copied, stamps)
      const isFilled = this.#of.isFilled(block)
      const bytes = BYTES_OF_ENTRY + (isFilled ? this.#of.bytesOf(block) : 0)
      return { start, end, block, bytes, isFilled, stamp, copied, isStored }
    })
    const overlaps = ({ start, end }: Span) => added.some(block => block.start < end && block.end > start)
    this.#set([...this.#kept.filter(kept => !overlaps(kept)), ...added])
  }

  /** Returns the blocks with rows of spans that all are there, each joined to one. */
  of(spans: readonly Span[], stamps: Stamps): Of[] {
    const byStart = this.#byStart()
    const joined: (Span & { block: Of })[] = []
    const blocks = spans.flatMap(({ start, end }) => {
      const parts = partsOf(byStart, { start, end })!
      const filled = parts.filter(({ isFilled }) => isFilled).map(({ block }) => block)
      if (parts.length === 1) return filled
      const block = filled.length > 1 ? this.#of.join(filled, { start, end }) : (filled[0] ?? parts[0]!.block)
      joined.push({ start, end, block })
      return filled.length > 0 ? [block] : []
    })
    this.add(joined, stamps)
    return blocks
  }

  #byStart(): Map<number, Kept<Of>> {
    return new Map(this.#kept.map(kept => [kept.start, kept]))
  }

  #set(kept: Kept<Of>[]): void {
    if (this.#of.forget) {
      const left = new Set(kept)
      for (const each of this.#kept) if (!left.has(each)) this.#of.forget(each.block)
    }
    this.#kept = kept
    this.bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** A change of the day of a copied session changes the copy. */
  #stampOf(span: Span, copied: readonly number[], stamps: Stamps): bigint {
    let stamp = stamps.of(this.#of.kind, span)
    for (const start of copied) stamp ^= stamps.of('sessions', { start, end: start + DAY_MS })
    return stamp
  }
}

/** Returns the kept blocks that fill a span, in order. */
function partsOf<Of>(byStart: ReadonlyMap<number, Kept<Of>>, { start, end }: Span): Kept<Of>[] | undefined {
  const parts: Kept<Of>[] = []
  for (let at = start; at < end; ) {
    const part = byStart.get(at)
    if (!part || part.end > end) return undefined
    parts.push(part)
    at = part.end
  }
  return parts
}
