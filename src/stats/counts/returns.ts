import type { Block, SessionColumns, View } from '../../storage/columns/block.ts'
import { type CohortCounts, CohortMembers, type CohortPeriods } from '../cohorts/members.ts'
import type { GoalTarget } from '../goals/goal-target.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Goals } from './shared/conversions.ts'
import { TextMatcher } from './shared/match-texts.ts'
import { type Selected, select } from './shared/select.ts'

export interface ReturnsAsked extends CohortPeriods {
  /** Edges of the periods, Unix milliseconds, those of the cohorts first. */
  bounds: number[]
  /** What people begin with; null: their first session. */
  target: GoalTarget | null
  /** Users are known by sessions that started since then, Unix milliseconds. */
  usersSince: number
}

export interface Returns extends CohortCounts {
  /** Visitors who began, and whom nothing recognizes later. */
  leftOut: number
}

/** Marks of visitors who began. */
const STRANGER = 1
const KNOWN = 2

/** Receives a session that makes its person a member, and when. */
type Began = (block: Block, session: number, at: number) => void

/**
 * Counts how many people began in each period of the range, and how many of them came back in later ones (docs/metrics.md "Cohorts").
 * @param question.sessions all sessions up to the end of the last period; with first sessions, also all earlier ones
 */
export function countReturns(view: View, question: Question, asked: ReturnsAsked): Returns {
  const persons = new Persons(view, asked.usersSince)
  const members = new CohortMembers(persons.count, asked)
  const periods = new Buckets(asked.bounds)
  const marks = new Uint8Array(view.visitors.size)
  const see: Began = ({ sessions }, session) => {
    const visitor = sessions.visitor[session]!
    const mark = persons.of(sessions, session) < 0 ? STRANGER : KNOWN
    if (visitor >= 0) marks[visitor] = Math.max(marks[visitor]!, mark)
  }
  const begin: Began = ({ sessions }, session, at) => {
    const person = persons.of(sessions, session)
    if (person >= 0) members.begin(person, periods.of(at) + 1)
  }
  const selected = select(view, question)
  if (asked.target) {
    const goals = new Goals(view, [asked.target], new TextMatcher(view, question))
    for (const block of selected) {
      goals.forEach(block, question, block.counts, (_, hit, at) => {
        const session = block.hits.session[hit]!
        see(block, session, at)
        begin(block, session, at)
      })
    }
  } else forEachFirst(view, selected, persons, see, begin)
  for (const { isService, sessions } of view.blocks) {
    if (isService) continue
    for (let session = 0; session < sessions.count; session++) {
      const person = persons.of(sessions, session)
      const period = periods.of(sessions.startedAt[session]!)
      if (person >= 0 && period >= 0) members.come(person, period + 1)
    }
  }
  return { ...members.count(), leftOut: marks.reduce((sum, mark) => (mark === STRANGER ? sum + 1 : sum), 0) }
}

/** Calls back for the sessions that started in the range: for first ones of visitors, and for first ones of persons. */
function forEachFirst(
  { blocks, texts }: View,
  selected: readonly Selected[],
  persons: Persons,
  ofVisitor: Began,
  ofPerson: Began,
): void {
  const firstVisit = texts.of('visit_count').find('1')
  const firstOfUsers = persons.firstSessions(blocks)
  for (const block of selected) {
    const { sessions, started } = block
    for (let session = 0; session < sessions.count; session++) {
      if (started[session] === 0) continue
      const at = sessions.startedAt[session]!
      const isFirstVisit = sessions.values.visit_count[session] === firstVisit
      if (isFirstVisit) ofVisitor(block, session, at)
      const isFirst =
        sessions.isRecognized[session] === 1 ? isFirstVisit : firstOfUsers.has(sessions.no[session]!)
      if (isFirst) ofPerson(block, session, at)
    }
  }
}

/** Numbers the persons of sessions: recognized visitors, then users. */
class Persons {
  readonly count: number
  readonly #visitors: number
  readonly #usersSince: number

  constructor({ texts, visitors }: View, usersSince: number) {
    this.#visitors = visitors.size
    this.#usersSince = usersSince
    this.count = visitors.size + texts.of('user_id').size
  }

  /** Returns the number of the person of a session, negative without one. */
  of({ visitor, isRecognized, startedAt, values }: SessionColumns, session: number): number {
    if (isRecognized[session] === 1) return visitor[session]!
    const user = values.user_id[session]!
    return user === 0 || startedAt[session]! < this.#usersSince ? -1 : this.#visitors + user
  }

  /** Returns the numbers (`no`) of the first sessions of users. */
  firstSessions(blocks: readonly Block[]): Set<number> {
    const first = new Map<number, { at: number; no: number }>()
    for (const { isService, sessions } of blocks) {
      if (isService) continue
      for (let session = 0; session < sessions.count; session++) {
        const person = this.of(sessions, session)
        if (person < this.#visitors) continue
        const at = sessions.startedAt[session]!
        const no = sessions.no[session]!
        const before = first.get(person)
        if (!before || at < before.at || (at === before.at && no < before.no)) first.set(person, { at, no })
      }
    }
    return new Set(Array.from(first.values(), ({ no }) => no))
  }
}
