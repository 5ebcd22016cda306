import type { EventType } from '../../platform/dimensions/event-types.ts'
import { BLOCK_TYPES, ENGAGEMENT, NONE, PAGEVIEW, type View } from '../../storage/columns/block.ts'
import type { Question } from './question.ts'
import { Pairs } from './shared/distinct.ts'
import { propertyOf } from './shared/properties.ts'
import { type Selected, select } from './shared/select.ts'

export interface ClickCount<Type extends EventType> {
  type: Type
  selector: string
  /** Address of a link or form; empty without one. */
  target: string
  clicks: number
  sessions: number
  visitors: number
}

/** Counts what was clicked, in any order, and the sessions that saw the pages that the filters name (docs/metrics.md "Clicks"). */
export function countClicks<Type extends EventType>(
  view: View,
  question: Question,
  { types }: { types: readonly Type[] },
): { rows: ClickCount<Type>[]; saw: number } {
  const selected = select(view, question)
  const values = view.texts.of('property_value')
  const selectorKey = view.texts.of('property_key').find('selector')
  const urlKey = view.texts.of('property_key').find('url')
  const wanted = BLOCK_TYPES.map(type => (types as readonly string[]).includes(type))
  const rows = new Map<string, { row: ClickCount<Type>; number: number }>()
  const visitors = new Pairs()
  const sessions = new Pairs()
  let before = 0
  for (const { hits, inRange, sessions: of } of selected) {
    for (let hit = 0; hit < hits.count; hit++) {
      const type = hits.type[hit]!
      if (inRange[hit] === 0 || !wanted[type]) continue
      const selector = propertyOf(hits, hit, selectorKey)
      const target = propertyOf(hits, hit, urlKey)
      const key = `${type} ${selector} ${target}`
      let found = rows.get(key)
      if (!found) {
        const texts = { selector: values.text(selector), target: values.text(target) }
        const row = { type: BLOCK_TYPES[type] as Type, ...texts, clicks: 0, sessions: 0, visitors: 0 }
        found = { row, number: rows.size }
        rows.set(key, found)
      }
      found.row.clicks += 1
      visitors.add(found.number, of.visitor[hits.session[hit]!]!)
      sessions.add(found.number, before + hits.session[hit]!)
    }
    before += of.count
  }
  const bySession = sessions.countDistinct(rows.size, before)
  const byVisitor = visitors.countDistinct(rows.size, view.visitors.size)
  for (const { row, number } of rows.values()) {
    row.sessions = bySession[number]!
    row.visitors = byVisitor[number]!
  }
  return { rows: [...rows.values()].map(({ row }) => row), saw: countSeen(view, question, selected) }
}

/** Counts the sessions that pass all filters and have in the range a hit whose page passes those on pages. */
function countSeen(view: View, question: Question, selected: readonly Selected[]): number {
  const onPages = {
    ...question,
    filters: question.filters.filter(({ dimension }) => dimension !== 'event_name'),
    properties: [],
  }
  let saw = 0
  for (const [index, { hits, inRange, isService, sessions }] of select(view, onPages).entries()) {
    if (isService) continue
    const { counts } = selected[index]!
    const seen = new Uint8Array(sessions.count)
    for (let hit = 0; hit < hits.count; hit++) {
      const session = hits.session[hit]!
      if (inRange[hit] === 0 || counts[session] === 0 || seen[session] === 1) continue
      seen[session] = 1
      saw += 1
    }
  }
  return saw
}

/** Pageviews of a path, and what those with engagement have. */
export interface ScrollCounts {
  pageviews: number
  /** Deepest scroll of each pageview with engagement, percent, in any order. */
  depths: number[]
  /** Their engaged times, milliseconds. */
  engagedMs: number[]
}

/**
 * Counts how far the pageviews of a path were scrolled (docs/metrics.md "Scroll of a page"). Of several pageviews of a session at one
 * moment, the last one has the engagement, whether it passes the filters or not.
 */
export function countScroll(view: View, question: Question, { path }: { path: string }): ScrollCounts {
  const counted: ScrollCounts = { pageviews: 0, depths: [], engagedMs: [] }
  const wanted = view.texts.of('path').find(path)
  if (wanted === undefined) return counted
  for (const { hits, sessions, inRange } of select(view, question)) {
    const { type, at, values, session, pageAt, scroll, engagedMs } = hits
    const isRead = (hit: number) => type[hit] === PAGEVIEW && values.path[hit] === wanted
    for (let hit = 0; hit < hits.count; hit++) {
      if (inRange[hit] === 0 || !isRead(hit)) continue
      counted.pageviews += 1
      const end = sessions.firstHit[session[hit]! + 1]!
      let isNewest = true
      for (let later = hit + 1; later < end && at[later] === at[hit]; later++) {
        if (isRead(later)) isNewest = false
      }
      if (!isNewest) continue
      let deepest = NONE
      let time = 0
      for (let later = sessions.firstHit[session[hit]!]!; later < end; later++) {
        if (type[later] !== ENGAGEMENT || pageAt[later] !== at[hit] || values.path[later] !== wanted) continue
        deepest = Math.max(deepest, scroll[later]!)
        time += engagedMs[later]!
      }
      if (deepest === NONE) continue
      counted.depths.push(deepest)
      counted.engagedMs.push(time)
    }
  }
  return counted
}
