const NONE = 0

export interface CohortPeriods {
  cohorts: number
  /** Later periods, at most 52. */
  later: number
}

export interface CohortCounts {
  sizes: number[]
  /** Of each cohort, of each later period. */
  returned: number[][]
}

/** Persons by number, with the period in which they began, from 1, and a bit for each later period in which they came. */
export class CohortMembers {
  readonly #periods: CohortPeriods
  readonly #began: Uint16Array
  readonly #came: [Uint32Array, Uint32Array]

  /** @param most numbers of persons are less */
  constructor(most: number, periods: CohortPeriods) {
    this.#periods = periods
    this.#began = new Uint16Array(most)
    this.#came = [new Uint32Array(most), new Uint32Array(most)]
  }

  /** Makes a person a member who began in a period, or earlier. */
  begin(person: number, period: number): void {
    const before = this.#began[person]!
    if (before === NONE || period < before) this.#began[person] = period
  }

  /** Notes that a person came in a period. Call it when it is known when the person began: who did not begin is no member. */
  come(person: number, period: number): void {
    const began = this.#began[person]!
    const later = period - began
    if (began === NONE || later < 1 || later > this.#periods.later) return
    this.#came[later >> 5]![person]! |= 1 << (later & 31)
  }

  count(): CohortCounts {
    const { cohorts, later } = this.#periods
    const sizes = new Array<number>(cohorts).fill(0)
    const returned = sizes.map(() => new Array<number>(later).fill(0))
    for (const [person, began] of this.#began.entries()) {
      if (began === NONE) continue
      const cohort = began - 1
      sizes[cohort]! += 1
      for (const half of [0, 1] as const) {
        for (let bits = this.#came[half][person]!; bits !== 0; bits &= bits - 1) {
          returned[cohort]![half * 32 + (31 - Math.clz32(bits & -bits)) - 1]! += 1
        }
      }
    }
    return { sizes, returned }
  }
}
