import type { View } from '../../storage/columns/block.ts'
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
  for (const { inRange, counts, sessions, isService } of select(view, question)) {
    if (isService) continue
    const { startedAt, firstHit, visitor } = sessions
    for (let session = 0; session < sessions.count; session++) {
      const at = startedAt[session]!
      const newest = at >= question.start && at < question.end ? ofRange : others
      if (counts[session] === 0 || !(at > newest[visitor[session]!]!)) continue
      const end = firstHit[session + 1]!
      let hit = firstHit[session]!
      while (hit < end && inRange[hit] === 0) hit++
      if (hit < end) newest[visitor[session]!] = at
    }
  }
  for (let visitor = 0; visitor < others.length; visitor++) {
    if (ofRange[visitor] !== NEVER) others[visitor] = NEVER
  }
  const pageOf = (newest: Float64Array, page: PageWindow) => {
    const marked = new Uint8Array(newest.length)
    for (let visitor = 0; visitor < marked.length; visitor++) {
      if (newest[visitor] !== NEVER) marked[visitor] = 1
    }
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
