import type { View } from '../../storage/columns/block.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { type PeopleFilter, personFinder } from './people.ts'
import type { Question } from './question.ts'
import { locatePage, type Place } from './shared/pages.ts'
import { select } from './shared/select.ts'

/** A page of sessions by their keys, the newest first. */
export interface SessionKeys {
  /** Sessions on all pages. */
  total: number
  /** Unix milliseconds. */
  startedAt: Float64Array
  sessionNos: Float64Array
  visitorNos: Int32Array
}

/**
 * Finds a page of the sessions that started in the range; of one moment, the one with the highest number first.
 * @param asked.people only theirs
 */
export function findSessions(
  view: View,
  question: Question,
  { people, ...page }: PageWindow & { people?: PeopleFilter | undefined },
): SessionKeys {
  const personOf = people && personFinder(view, people)
  const selected = select(view, question)
  const listed = selected.map(({ sessions, started }) => ({
    at: sessions.startedAt,
    marked: personOf
      ? started.map((passes, session) => (passes === 1 && personOf(sessions, session) !== undefined ? 1 : 0))
      : started,
  }))
  const { total, places, skipped } = locatePage(listed, page)
  const noOf = ({ block, row }: Place) => selected[block]!.sessions.no[row]!
  const shown = places.sort((a, b) => b.at - a.at || noOf(b) - noOf(a)).slice(skipped, skipped + page.limit)
  return {
    total,
    startedAt: Float64Array.from(shown, ({ at }) => at),
    sessionNos: Float64Array.from(shown, noOf),
    visitorNos: Int32Array.from(shown, ({ block, row }) =>
      view.visitors.visitorNo(selected[block]!.sessions.visitor[row]!),
    ),
  }
}
