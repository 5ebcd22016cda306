import type { View } from '../../storage/columns/block.ts'
import { typeNumber } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { Pairs } from './shared/distinct.ts'
import { isSeen, select } from './shared/select.ts'

export interface ErrorCounts {
  /** Fingerprint of the error. */
  value: string
  /** Occurrences in the range. */
  hits: number
  /** Sessions that started in the range and met it. */
  sessions: number
  visitors: number
}

const ERROR = typeNumber('error')

/** Counts the errors that occurred in the range, in any order. */
export function countErrors(
  view: View,
  question: Question,
  { errorId }: { errorId?: string | undefined },
): ErrorCounts[] {
  const errors = view.texts.of('error')
  const wanted = errorId === undefined ? undefined : (errors.find(errorId) ?? -1)
  const hitsOf = new Float64Array(errors.size)
  const visitors = new Pairs()
  const sessions = new Pairs()
  let before = 0
  for (const selected of select(view, question)) {
    const { hits, inRange, started, sessions: of } = selected
    for (let hit = 0; hit < hits.count; hit++) {
      const error = hits.error[hit]!
      if (hits.type[hit] !== ERROR || (wanted !== undefined && error !== wanted)) continue
      const session = hits.session[hit]!
      if (inRange[hit] === 1) {
        hitsOf[error]! += 1
        visitors.add(error, of.visitor[session]!)
      }
      if (started[session] === 1 && isSeen(selected, hit)) sessions.add(error, before + session)
    }
    before += of.count
  }
  const byVisitor = visitors.countDistinct(errors.size, view.visitors.size)
  const bySession = sessions.countDistinct(errors.size, before)
  return Array.from(hitsOf, (hits, error) => ({
    value: errors.text(error),
    hits,
    sessions: bySession[error]!,
    visitors: byVisitor[error]!,
  })).filter(({ hits, sessions }) => hits + sessions > 0)
}
