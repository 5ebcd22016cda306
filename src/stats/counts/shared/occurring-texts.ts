import {
  HIT_DIMENSIONS,
  type Numbers,
  SESSION_DIMENSIONS,
  type View,
} from '../../../storage/columns/block.ts'
import type { Texts } from '../../../storage/columns/texts.ts'
import type { Question } from '../question.ts'

type Range = Pick<Question, 'start' | 'end' | 'sessions'>

/** Which texts of a site occur in the range of a question: a pattern is compared with these alone, whatever else the site has. */
export class OccurringTexts {
  readonly #view: View
  readonly #range: Range
  readonly #known = new Map<Texts, Uint8Array>()
  /** 1 for each hit in the range, and for each session that has one or started in it; block by block. */
  #inRange: { hits: Uint8Array; sessions: Uint8Array }[] | undefined

  constructor(view: View, range: Range) {
    this.#view = view
    this.#range = range
  }

  /** Returns 1 for each text that occurs, by number. */
  of(texts: Texts): Uint8Array {
    let occurs = this.#known.get(texts)
    if (!occurs) {
      occurs = this.#find(texts)
      this.#known.set(texts, occurs)
    }
    return occurs
  }

  #find(texts: Texts): Uint8Array {
    const occurs = new Uint8Array(texts.size)
    const { blocks, texts: all } = this.#view
    this.#inRange ??= blocks.map(block => inRange(block, this.#range))
    for (const [index, { hits, sessions }] of blocks.entries()) {
      const marked = this.#inRange[index]!
      for (const dimension of HIT_DIMENSIONS) {
        if (all.ofDimension(dimension) === texts) mark(hits.values[dimension], marked.hits, occurs)
      }
      for (const dimension of SESSION_DIMENSIONS) {
        if (all.ofDimension(dimension) === texts) mark(sessions.values[dimension], marked.sessions, occurs)
      }
      const { firstProperty, propertyKeys, propertyValues } = hits
      for (const [known, column] of [
        [all.of('property_key'), propertyKeys],
        [all.of('property_value'), propertyValues],
      ] as const) {
        if (known !== texts) continue
        for (let hit = 0; hit < hits.count; hit++) {
          if (marked.hits[hit] === 0) continue
          for (let at = firstProperty[hit]!; at < firstProperty[hit + 1]!; at++) occurs[column[at]!] = 1
        }
      }
    }
    return occurs
  }
}

function inRange({ isService, hits, sessions }: View['blocks'][number], range: Range) {
  const start = Math.min(range.start, range.sessions?.start ?? range.start)
  const end = Math.max(range.end, range.sessions?.end ?? range.end)
  const isWithin = (at: number) => at >= start && at < end
  const marked = { hits: new Uint8Array(hits.count), sessions: new Uint8Array(sessions.count) }
  for (let hit = 0; hit < hits.count; hit++) {
    // Engagement counts at the time of its pageview, too.
    if (!isWithin(hits.at[hit]!) && !isWithin(hits.pageAt[hit]!)) continue
    marked.hits[hit] = 1
    marked.sessions[hits.session[hit]!] = 1
  }
  for (let session = 0; session < sessions.count; session++) {
    // What a copy says of its start does not count.
    if (isService || isWithin(sessions.startedAt[session]!)) marked.sessions[session] = 1
  }
  return marked
}

function mark(column: Numbers, marked: Uint8Array, occurs: Uint8Array): void {
  for (let index = 0; index < marked.length; index++) if (marked[index] === 1) occurs[column[index]!] = 1
}
