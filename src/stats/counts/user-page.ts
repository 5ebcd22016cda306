import type { View } from '../../storage/columns/block.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { searcherOf } from '../../storage/rollups/value-search.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { Question } from './question.ts'
import { select } from './shared/select.ts'

const NEVER = Number.NEGATIVE_INFINITY

/** A user of sessions that started in the range. */
export interface UserCounts {
  userId: string
  sessions: number
  /** Of the newest of them, Unix milliseconds. */
  startedAt: number
}

export interface UsersAsked extends PageWindow {
  sort: 'last_seen' | 'sessions'
  /** Part of the identifier, in any case; empty: all users. */
  search: string
  /** Users that are found by their names. */
  named: string[]
}

/** Finds a page of the users of the sessions that started in the range, and their number. */
export function findUsers(
  view: View,
  question: Question,
  { sort, search, named, limit, offset }: UsersAsked,
): { total: number; users: UserCounts[] } {
  const known = view.texts.of('user_id')
  const sessionsOf = new Float64Array(known.size)
  const newest = new Float64Array(known.size).fill(NEVER)
  for (const { sessions, started } of select(view, question)) {
    for (let session = 0; session < sessions.count; session++) {
      if (started[session] === 0) continue
      const user = sessions.values.user_id[session]!
      sessionsOf[user]! += 1
      newest[user] = Math.max(newest[user]!, sessions.startedAt[session]!)
    }
  }
  const isFound = searcherOf(search)
  const isNamed = new Set(named)
  const users = Array.from(newest, (startedAt, user) => ({
    userId: known.text(user),
    sessions: sessionsOf[user]!,
    startedAt,
  }))
    .filter(({ userId, startedAt }) => userId !== '' && startedAt !== NEVER)
    .filter(({ userId }) => search === '' || isFound(userId) || isNamed.has(userId))
    .sort(
      (a, b) =>
        (sort === 'sessions' ? b.sessions - a.sessions : 0) ||
        b.startedAt - a.startedAt ||
        compareTexts(a.userId, b.userId),
    )
  return { total: users.length, users: users.slice(offset, offset + limit) }
}
