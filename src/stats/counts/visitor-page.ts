import type { View } from '../../storage/columns/block.ts'
import { fill } from '../../storage/columns/fill.ts'
import type { PageWindow } from '../metrics/rank.ts'
import type { Question } from './question.ts'
import { locatePage } from './shared/pages.ts'
import { select } from './shared/select.ts'

/** A page of visitors. */
export interface VisitorKeys {
  /** Visitors on all pages. */
  total: number
  visitorNos: number[]
  /** Starts of the sessions that say where they stand in the list, Unix milliseconds. */
  startedAt: number[]
}

const NEVER = Number.NEGATIVE_INFINITY

/**
 * Finds a page of the visitors with a hit in the range: those with such a session that started in the range, by the newest of these; then
 * the others, by their newest session with such a hit. Equals come by `visitor_no`, the highest first.
 */
export function findVisitors(view: View, question: Question, { limit, offset }: PageWindow): VisitorKeys {
  const { visitors } = view
  const ofRange = new Float64Array(visitors.size).fill(NEVER)
  const others = new Float64Array(visitors.size).fill(NEVER)
  for (const { hits, inRange, sessions, isService } of select(view, question)) {
    if (isService) continue
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 0) continue
      const session = hits.session[hit]!
      const at = sessions.startedAt[session]!
      const newest = at >= question.start && at < question.end ? ofRange : others
      const visitor = sessions.visitor[session]!
      if (at > newest[visitor]!) newest[visitor] = at
    }
  }
  for (let visitor = 0; visitor < others.length; visitor++) {
    if (ofRange[visitor] !== NEVER) others[visitor] = NEVER
  }
  const pageOf = (newest: Float64Array, page: PageWindow) => {
    const marked = fill(new Uint8Array(newest.length), visitor => (newest[visitor] === NEVER ? 0 : 1))
    const { total, places, skipped } = locatePage([{ at: newest, marked }], page)
    const shown = places
      .map(({ row, at }) => ({ visitorNo: visitors.visitorNo(row), at }))
      .sort((a, b) => b.at - a.at || b.visitorNo - a.visitorNo)
    return { total, shown: shown.slice(skipped, skipped + page.limit) }
  }
  const first = pageOf(ofRange, { limit, offset })
  const then = pageOf(others, {
    limit: limit - first.shown.length,
    offset: Math.max(0, offset - first.total),
  })
  const shown = [...first.shown, ...then.shown]
  return {
    total: first.total + then.total,
    visitorNos: shown.map(({ visitorNo }) => visitorNo),
    startedAt: shown.map(({ at }) => at),
  }
}
