import { Rows } from './columns.ts'
import { TailUnfit } from './tail-shape.ts'

/** Most values of a dimension in one session: they are searched one after the other. */
const MOST_VALUES = 1_000

/** What sessions did on each value of a dimension: each session has a chain of rows. */
export class VisitedValues {
  /** `scroll` is one more than the deepest one; 0: none. */
  readonly rows = new Rows({
    session: 'u32',
    value: 'u32',
    /** Row after this one in the chain, plus one. */
    next: 'u32',
    seen: 'u8',
    engagedMs: 'f64',
    scroll: 'i16',
  } as const)
  /** First row of each session's chain, plus one. */
  readonly #heads = new Rows({ first: 'u32' } as const)

  /** Adds a session without values; its index is that of all sessions. */
  addSession(): void {
    this.#heads.add()
  }

  /** Returns the first row of a session, −1 when there is none. */
  first(session: number): number {
    return this.#heads.columns.first[session]! - 1
  }

  /** Returns the row after another one of the same session, −1 after the last. */
  next(row: number): number {
    return this.rows.columns.next[row]! - 1
  }

  /**
   * Returns the row of a value of a session, a new one if need be.
   * @throws TailUnfit when the session has too many values
   */
  rowFor(session: number, value: number): number {
    let row = this.first(session)
    let passed = 0
    while (row >= 0 && this.rows.columns.value[row] !== value) {
      if (++passed > MOST_VALUES) throw new TailUnfit('a session has too many values')
      row = this.next(row)
    }
    if (row >= 0) return row
    const added = this.rows.add()
    this.rows.columns.session[added] = session
    this.rows.columns.value[added] = value
    this.#link(added)
    return added
  }

  /** Makes a row the first one of its session. */
  #link(row: number): void {
    const { session, next } = this.rows.columns
    const { first } = this.#heads.columns
    next[row] = first[session[row]!]!
    first[session[row]!] = row + 1
  }

  /** Drops sessions. @param moved by the index of a session: its new index, plus one; 0 when it is gone */
  dropSessions(moved: Uint32Array): void {
    this.rows.keep(row => moved[this.rows.columns.session[row]!] !== 0)
    this.#heads.keep(index => moved[index] !== 0)
    this.#heads.columns.first.fill(0)
    const { session } = this.rows.columns
    for (let row = 0; row < this.rows.length; row++) {
      session[row] = moved[session[row]!]! - 1
      this.#link(row)
    }
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.rows.bytes + this.#heads.bytes
  }
}
