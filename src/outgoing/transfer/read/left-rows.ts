/** Reasons are few; a format that puts values into them must not fill memory. */
const MAX_REASONS = 100
/** Lines of each reason that are named. */
const NAMED_LINES = 5

export interface LeftReason {
  reason: string
  rows: number
  /** The first lines of the file on which such rows begin, from 1, as far as they are known. */
  lines: number[]
}

/** Counts the rows of a file that are not carried over, by reason, with bounded memory. */
export class LeftRows {
  /** Rows that are left. */
  total = 0
  readonly #reasons = new Map<string, LeftReason>()

  add(reason: string, line?: number): void {
    this.total += 1
    const found = this.#count(reason)
    if (line !== undefined && found.lines.length < NAMED_LINES) found.lines.push(line)
  }

  /** Counts a part of a row that is carried over without it. */
  addPart(part: string): void {
    this.#count(`part of a row: ${part}`)
  }

  /** The most frequent reason first. */
  byReason(): LeftReason[] {
    return [...this.#reasons.values()].sort((a, b) => b.rows - a.rows)
  }

  #count(given: string): LeftReason {
    const reason = this.#reasons.has(given) || this.#reasons.size < MAX_REASONS ? given : 'other reasons'
    const found = this.#reasons.get(reason) ?? { reason, rows: 0, lines: [] }
    this.#reasons.set(reason, found)
    found.rows += 1
    return found
  }
}
