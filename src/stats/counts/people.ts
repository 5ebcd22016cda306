import type { SessionColumns, View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { select } from './shared/select.ts'

/** Visitors by number, or users by identifier. */
export type PeopleFilter = { visitorNos: number[] } | { userIds: string[] }

/**
 * Returns a function that says which of these people a session of a block is of: the number of a visitor as text, or the identifier of a
 * user; undefined for others.
 */
export function personFinder(
  { texts, visitors }: View,
  people: PeopleFilter,
): (sessions: SessionColumns, session: number) => string | undefined {
  if ('visitorNos' in people) {
    const wanted = new Map(people.visitorNos.map(no => [visitors.find(no), String(no)]))
    return ({ visitor }, session) => wanted.get(visitor[session])
  }
  const known = texts.of('user_id')
  const wanted = new Map(people.userIds.filter(id => id !== '').map(id => [known.find(id), id]))
  return ({ values }, session) => wanted.get(values.user_id[session])
}

/** Sessions of a person that started in the range. */
export interface PersonVisits {
  /** Number of the visitor as text, or identifier of the user. */
  person: string
  sessions: number
  pageviews: number
  events: number
  /** Starts of the first and the newest, Unix milliseconds. */
  firstAt: number
  lastAt: number
  sessionNos: number[]
}

/** Counts the sessions of people; of those without any there is nothing. */
export function countVisits(
  view: View,
  question: Question,
  { people }: { people: PeopleFilter },
): PersonVisits[] {
  const personOf = personFinder(view, people)
  const visits = new Map<string, PersonVisits>()
  for (const { sessions, started } of select(view, question)) {
    for (let session = 0; session < sessions.count; session++) {
      const person = started[session] === 1 ? personOf(sessions, session) : undefined
      if (person === undefined) continue
      const at = sessions.startedAt[session]!
      const of = visits.get(person) ?? {
        ...{ person, sessions: 0, pageviews: 0, events: 0, firstAt: at, lastAt: at, sessionNos: [] },
      }
      visits.set(person, of)
      of.sessions += 1
      of.pageviews += sessions.pageviews[session]!
      of.events += sessions.events[session]!
      of.firstAt = Math.min(of.firstAt, at)
      of.lastAt = Math.max(of.lastAt, at)
      of.sessionNos.push(sessions.no[session]!)
    }
  }
  return [...visits.values()]
}
