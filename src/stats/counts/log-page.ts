import { ENGAGEMENT, type HitColumns, typeNumber, type View } from '../../columns/block.ts'
import type { EventType } from '../../dimensions/event-types.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { locatePage } from './pages.ts'
import type { Question } from './question.ts'
import { type Selected, select } from './select.ts'

/** Which hits a log has. */
export interface LogAsked extends PageWindow {
  types: EventType[]
  /** Only occurrences of this error. */
  errorId?: string | undefined
}

/**
 * Where the hits of a page of a log are, the newest first. Columns have no ids, which order hits of one moment: all hits of the moments of
 * the page are there that pass the filters.
 */
export interface LogKeys {
  /** Hits on all pages. */
  total: number
  /** How many of these, the newest by time and id, belong to earlier pages. */
  skipped: number
  /** Unix milliseconds. */
  at: Float64Array
  /** Number of the session; of an event of the service without one, minus that of the visitor, or 0. */
  sessionNos: Float64Array
  /** 1 for events that the service wrote. */
  isService: Uint8Array
  /** Which it is of the pageviews and events that this session has at this moment, in the order of their ids, from 0. */
  nth: Int32Array
}

/** Finds a page of the pageviews and events in the range. */
export function findLogHits(view: View, question: Question, { types, errorId, ...page }: LogAsked): LogKeys {
  const wanted = new Set(types.map(typeNumber))
  const error = errorId === undefined ? undefined : (view.texts.of('error').find(errorId) ?? -1)
  const isListed = ({ type, error: errors }: HitColumns, hit: number) =>
    wanted.has(type[hit]!) && (error === undefined || errors[hit] === error)
  const selected = select(view, question)
  const listed = selected.map(({ hits, inRange }) => ({
    at: hits.at,
    marked: inRange.map((passes, hit) => (passes === 1 && isListed(hits, hit) ? 1 : 0)),
  }))
  const { total, places, skipped } = locatePage(listed, page)
  const blocks = places.map(({ block }) => selected[block]!)
  return {
    total,
    skipped,
    at: Float64Array.from(places, ({ at }) => at),
    sessionNos: Float64Array.from(places, ({ row }, index) => sessionNoOf(blocks[index]!, row)),
    isService: Uint8Array.from(blocks, ({ isService }) => (isService ? 1 : 0)),
    nth: Int32Array.from(places, ({ row }, index) => nthOf(blocks[index]!.hits, row)),
  }
}

const sessionNoOf = ({ hits, sessions }: Selected, hit: number): number => sessions.no[hits.session[hit]!]!

function nthOf({ at, session, type }: HitColumns, hit: number): number {
  let nth = 0
  for (let before = hit - 1; session[before] === session[hit] && at[before] === at[hit]; before--) {
    if (type[before] !== ENGAGEMENT) nth += 1
  }
  return nth
}
