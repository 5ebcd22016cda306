import type { EventType } from '../../platform/dimensions/event-types.ts'
import { BLOCK_TYPES, type View } from '../../storage/columns/block.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { Question } from './question.ts'
import { type HitKeys, hitKeysOf } from './shared/hit-keys.ts'
import { locatePage } from './shared/pages.ts'
import { type Selected, select } from './shared/select.ts'

/** Which hits a log has. */
export interface LogAsked extends PageWindow {
  types: EventType[]
  /** Only occurrences of this error. */
  errorId?: string | undefined
  /** Only hits of these sessions, and none that the service wrote. */
  sessionNos?: number[] | undefined
}

/** A page of a log, the newest first: all hits of its moments that pass the filters, since their ids say which of them are on the page. */
export interface LogKeys extends HitKeys {
  /** Hits on all pages. */
  total: number
  /** How many of these, the newest by time and id, belong to earlier pages. */
  skipped: number
}

/** Finds a page of the pageviews and events in the range. */
export function findLogHits(
  view: View,
  question: Question,
  { types, errorId, sessionNos, ...page }: LogAsked,
): LogKeys {
  const isWanted = Uint8Array.from(BLOCK_TYPES, type => (types.some(each => each === type) ? 1 : 0))
  const error = errorId === undefined ? undefined : (view.texts.of('error').find(errorId) ?? -1)
  const wantedSessions = sessionNos && new Set(sessionNos)
  const isListed = ({ hits, sessions, isService }: Selected, hit: number) =>
    (error === undefined || hits.error[hit] === error) &&
    (!wantedSessions || (!isService && wantedSessions.has(sessions.no[hits.session[hit]!]!)))
  const takesAll = error === undefined && !wantedSessions
  const selected = select(view, question)
  const listed = selected.map(block => {
    const { at, type } = block.hits
    const marked = block.inRange.slice()
    for (let hit = 0; hit < marked.length; hit++) {
      if (marked[hit] === 1) marked[hit] = takesAll || isListed(block, hit) ? isWanted[type[hit]!]! : 0
    }
    return { at, marked }
  })
  const { total, places, skipped } = locatePage(listed, page)
  return { total, skipped, ...hitKeysOf(selected, places) }
}
