import { readIntegers } from '../moments/moments.ts'
import { type CohortCounts, CohortMembers, type CohortPeriods } from './members.ts'
import { NumberMap } from './number-map.ts'

/** Arrays of 8-byte integers as the database sends them. */
type Arrays = Uint8Array[]

export interface ReturnsInput extends CohortPeriods {
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
}

export interface Returns extends CohortCounts {
  /** Visitors who began, and whom nothing recognizes later. */
  leftOut: number
}

/** Inputs and outputs of the cohort task of the pattern threads. */
export interface CohortTasks {
  countReturns: { input: ReturnsInput; output: Returns }
}

/** Task of a pattern thread: it needs no database, and the time it takes does not hold up other reads. */
export const cohortTasks = {
  countReturns(input: ReturnsInput): Returns {
    const persons = new Persons(input)
    const leftOut = persons.addVisitors()
    persons.addUsers()
    return { ...persons.members.count(), leftOut }
  },
}

/** Numbers visitors and users who are members, and says when they began and came. */
class Persons {
  readonly members: CohortMembers
  readonly #input: ReturnsInput
  readonly #numbers: Float64Array
  readonly #sessions: Float64Array
  readonly #userSessions: Float64Array[]
  readonly #userPeriods: Float64Array[]
  /** Of each session of a user, who it is. */
  readonly #userOf = new Map<number, number>()
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
    this.members = new CohortMembers(most, input)
  }

  /** @returns how many visitors nothing recognizes */
  addVisitors(): number {
    const recognized = readIntegers(this.#input.recognized)
    const known = new NumberMap(recognized.length)
    for (const visitor of recognized) known.add(visitor)
    const visitors = new NumberMap(this.#numbers.length)
    const strangers = new Map<number, boolean>()
    for (const [index, number] of this.#numbers.entries()) {
      const makesMember = number % 1024 >= 512
      if (!makesMember) continue
      const visitor = Math.floor(number / 1024)
      if (known.indexOf(visitor) >= 0) {
        this.members.begin(visitors.add(visitor), number % 512)
        continue
      }
      const isUser = this.#userOf.has(this.#sessions[index]!)
      strangers.set(visitor, isUser || strangers.get(visitor) === true)
    }
    this.#size = visitors.size
    for (const number of readIntegers(this.#input.sessions)) {
      const member = visitors.indexOf(Math.floor(number / 1024))
      if (member >= 0) this.members.come(member, number % 1024)
    }
    return [...strangers.values()].filter(isUser => !isUser).length
  }

  addUsers(): void {
    const { isFirstSession } = this.#input
    const users = new Map<number, number>()
    for (const [index, session] of this.#sessions.entries()) {
      const user = this.#userOf.get(session)
      if (user === undefined || (isFirstSession && this.#userSessions[user]![0] !== session)) continue
      if (!users.has(user)) users.set(user, this.#size++)
      this.members.begin(users.get(user)!, this.#numbers[index]! % 512)
    }
    for (const [user, member] of users) {
      for (const period of this.#userPeriods[user]!) this.members.come(member, period)
    }
  }
}
