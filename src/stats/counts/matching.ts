import type { View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { select } from './shared/select.ts'

/** Returns which of these sessions started in the range and pass the filters, in any order. */
export function findMatching(view: View, question: Question, sessionNos: readonly number[]): number[] {
  const wanted = new Set(sessionNos)
  return select(view, question).flatMap(({ sessions, started }) =>
    Array.from(sessions.no).filter((no, session) => started[session] === 1 && wanted.has(no)),
  )
}
