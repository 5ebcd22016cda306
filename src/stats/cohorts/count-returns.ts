import { readIntegers } from '../moments/moments.ts'
import { NumberMap } from './number-map.ts'

/** Arrays of 8-byte integers as the database sends them. */
type Arrays = Uint8Array[]

export interface ReturnsInput {
  /** What may make members: `visitor × 1024 + 512 if it makes its visitor a member + period` (from 1). */
  beginnings: Arrays
  /** Session of each, 0 if it has no user. */
  beginningSessions: Arrays
  /** Visitors who are recognized. */
  recognized: Arrays
  /** Sessions of visitors in later periods: `visitor × 1024 + period`. */
  sessions: Arrays
  /** Sessions of each user with visitors who are not recognized, by start: number, and period (0: before the first). */
  users: { sessions: Uint8Array; periods: Uint8Array }[]
  /** Whether users are members by their first session only. */
  isFirstSession: boolean
  cohorts: number
  /** Later periods, at most 52. */
  later: number
}

export interface Returns {
  sizes: number[]
  /** Of each cohort, of each later period. */
  returned: number[][]
  leftOut: number
}

/** Inputs and outputs of the cohort task of the pattern threads. */
export interface CohortTasks {
  countReturns: { input: ReturnsInput; output: Returns }
}

/** Task of a pattern thread: it needs no database, and the time it takes does not hold up other reads. */
export const cohortTasks = {
  countReturns(input: ReturnsInput): Returns {
    const members = new Members(input)
    const leftOut = members.addVisitors()
    members.addUsers()
    return { ...members.count(), leftOut }
  },
}

const NONE = 0

/** Persons with the period in which they began, from 1, and a bit for each later period in which they came. */
class Members {
  readonly #input: ReturnsInput
  readonly #numbers: Float64Array
  readonly #sessions: Float64Array
  readonly #userSessions: Float64Array[]
  readonly #userPeriods: Float64Array[]
  /** Of each session of a user, who it is. */
  readonly #userOf = new Map<number, number>()
  readonly #began: Uint16Array
  readonly #came: [Uint32Array, Uint32Array]
  #size = 0

  constructor(input: ReturnsInput) {
    this.#input = input
    this.#numbers = readIntegers(input.beginnings)
    this.#sessions = readIntegers(input.beginningSessions)
    this.#userSessions = input.users.map(({ sessions }) => readIntegers([sessions]))
    this.#userPeriods = input.users.map(({ periods }) => readIntegers([periods]))
    for (const [user, sessions] of this.#userSessions.entries()) {
      for (const session of sessions) this.#userOf.set(session, user)
    }
    const most = this.#numbers.length + input.users.length
    this.#began = new Uint16Array(most)
    this.#came = [new Uint32Array(most), new Uint32Array(most)]
  }

  /** @returns how many visitors nothing recognizes */
  addVisitors(): number {
    const recognized = readIntegers(this.#input.recognized)
    const known = new NumberMap(recognized.length)
    for (const visitor of recognized) known.add(visitor)
    const members = new NumberMap(this.#numbers.length)
    const strangers = new Map<number, boolean>()
    for (const [index, number] of this.#numbers.entries()) {
      const makesMember = number % 1024 >= 512
      if (!makesMember) continue
      const visitor = Math.floor(number / 1024)
      if (known.indexOf(visitor) >= 0) {
        this.#begin(members.add(visitor), number % 512)
        continue
      }
      const isUser = this.#userOf.has(this.#sessions[index]!)
      strangers.set(visitor, isUser || strangers.get(visitor) === true)
    }
    this.#size = members.size
    for (const number of readIntegers(this.#input.sessions)) {
      const member = members.indexOf(Math.floor(number / 1024))
      if (member >= 0) this.#come(member, number % 1024)
    }
    return [...strangers.values()].filter(isUser => !isUser).length
  }

  addUsers(): void {
    const { isFirstSession } = this.#input
    const members = new Map<number, number>()
    for (const [index, session] of this.#sessions.entries()) {
      const user = this.#userOf.get(session)
      if (user === undefined || (isFirstSession && this.#userSessions[user]![0] !== session)) continue
      if (!members.has(user)) members.set(user, this.#size++)
      this.#begin(members.get(user)!, this.#numbers[index]! % 512)
    }
    for (const [user, member] of members) {
      for (const period of this.#userPeriods[user]!) this.#come(member, period)
    }
  }

  #begin(member: number, period: number): void {
    const before = this.#began[member]!
    if (before === NONE || period < before) this.#began[member] = period
  }

  #come(member: number, period: number): void {
    const later = period - this.#began[member]!
    if (later < 1 || later > this.#input.later) return
    this.#came[later >> 5]![member]! |= 1 << (later & 31)
  }

  count(): Omit<Returns, 'leftOut'> {
    const { cohorts, later } = this.#input
    const sizes = new Array<number>(cohorts).fill(0)
    const returned = sizes.map(() => new Array<number>(later).fill(0))
    for (let member = 0; member < this.#size; member++) {
      const cohort = this.#began[member]! - 1
      sizes[cohort]!++
      for (const half of [0, 1] as const) {
        for (let bits = this.#came[half][member]!; bits !== 0; bits &= bits - 1) {
          returned[cohort]![half * 32 + (31 - Math.clz32(bits & -bits)) - 1]!++
        }
      }
    }
    return { sizes, returned }
  }
}
