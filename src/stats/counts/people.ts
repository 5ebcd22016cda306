import type { SessionColumns, View } from '../../columns/block.ts'
import type { PeopleFilter } from '../sql/narrowing.ts'

/** Returns whether a session of a block is one of these people: visitors by number, or users by identifier. */
export function peopleTest(
  { texts, visitors }: View,
  people: PeopleFilter,
): (sessions: SessionColumns, session: number) => boolean {
  if ('visitorNos' in people) {
    const wanted = new Set(people.visitorNos.map(visitorNo => visitors.find(visitorNo)))
    return ({ visitor }, session) => wanted.has(visitor[session])
  }
  const known = texts.of('user_id')
  const wanted = new Set(people.userIds.filter(userId => userId !== '').map(userId => known.find(userId)))
  return ({ values }, session) => wanted.has(values.user_id[session])
}
