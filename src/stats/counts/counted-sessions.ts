import { EVENT, PAGEVIEW, type View } from '../../storage/columns/block.ts'
import { fill } from '../../storage/columns/fill.ts'
import { NO_VISITOR } from '../../storage/columns/visitor-numbers.ts'
import type { Question } from './question.ts'
import { Buckets } from './shared/buckets.ts'
import { Pairs, VisitorSet } from './shared/distinct.ts'
import { type OfValue, type SelectedOfValue, selectOfValue } from './shared/of-value.ts'
import { locatePage, type Place } from './shared/pages.ts'

const COLUMNS = [
  'pageviews',
  'customEvents',
  'visitors',
  'sessions',
  'bounces',
  'durationMs',
  'engagedMs',
  'engagedSessions',
  'scrollSum',
  'scrolledSessions',
] as const
/** What sessions add to counts of traffic. */
export type TrafficColumn = (typeof COLUMNS)[number]
export type TrafficCounts = Record<TrafficColumn, number>

const noCounts = () => Object.fromEntries(COLUMNS.map(column => [column, 0])) as TrafficCounts

/** Receives what a session adds to a count, and when: a hit at its own time, all else when the session starts. `visitors` come repeatedly. */
type Add = (column: TrafficColumn, session: number, at: number, amount: number) => void

/**
 * Counts the traffic of the range, or of the row of a value in a breakdown, by consecutive buckets; visitors also together.
 * @param asked.bounds of the buckets, Unix milliseconds, one more than buckets
 */
export function countTrafficParts(
  view: View,
  question: Question,
  { bounds, ...of }: { bounds: readonly number[] } & OfValue,
): { buckets: TrafficCounts[]; visitors: number } {
  const buckets = new Buckets(bounds)
  const counts = Array.from({ length: buckets.count }, noCounts)
  const pairs = new Pairs()
  const all = new VisitorSet(view.visitors.size)
  for (const selected of selectOfValue(view, question, of)) {
    const { visitor } = selected.block.sessions
    eachAddition(selected, (column, session, at, amount) => {
      const bucket = buckets.of(at)
      if (bucket < 0) return
      if (column !== 'visitors') counts[bucket]![column] += amount
      else {
        pairs.add(bucket, visitor[session]!)
        all.add(visitor[session]!)
      }
    })
  }
  const visitors = pairs.countDistinct(buckets.count, view.visitors.size)
  for (const [bucket, of] of counts.entries()) of.visitors = visitors[bucket]!
  return { buckets: counts, visitors: all.size }
}

/** A session, and what it adds to each count. */
export interface CountedSession extends TrafficCounts {
  /** Unix milliseconds. */
  startedAt: number
  sessionNo: number
  visitorNo: number | null
}

interface PageAsked {
  /** Only sessions that add to one of them. */
  columns: readonly TrafficColumn[]
  /** Where the page begins: behind this session. */
  after?: { at: number; sessionNo: number } | undefined
  limit: number
}

/** Lists sessions that add to counts of traffic, the newest first; of one moment, the one with the highest number first. */
export function listCountedSessions(
  view: View,
  question: Question,
  { columns, after, limit, ...of }: PageAsked & OfValue,
): CountedSession[] {
  const selected = selectOfValue(view, question, of)
  const added = selected.map(additionsOf)
  const isBehind = (at: number, no: number) =>
    !after || at < after.at || (at === after.at && no < after.sessionNo)
  const listed = selected.map(({ block: { sessions } }, index) => {
    const isListed = (session: number) =>
      columns.some(column => added[index]![column][session]! > 0) &&
      isBehind(sessions.startedAt[session]!, sessions.no[session]!)
    return {
      at: sessions.startedAt,
      marked: fill(new Uint8Array(sessions.count), session => (isListed(session) ? 1 : 0)),
    }
  })
  const presented = ({ block, row, at }: Place): CountedSession => {
    const { no, visitor } = selected[block]!.block.sessions
    const counts = COLUMNS.map(column => [column, added[block]![column][row]!])
    return {
      startedAt: at,
      sessionNo: no[row]!,
      visitorNo: visitor[row] === NO_VISITOR ? null : view.visitors.visitorNo(visitor[row]!),
      ...(Object.fromEntries(counts) as TrafficCounts),
    }
  }
  return locatePage(listed, { limit, offset: 0 })
    .places.map(presented)
    .sort((a, b) => b.startedAt - a.startedAt || b.sessionNo - a.sessionNo)
    .slice(0, limit)
}

/** Returns what each session of a block adds. */
function additionsOf(selected: SelectedOfValue): Record<TrafficColumn, Float64Array> {
  const { count, visitor } = selected.block.sessions
  const columns = COLUMNS.map(column => [column, new Float64Array(count)])
  const added = Object.fromEntries(columns) as Record<TrafficColumn, Float64Array>
  eachAddition(selected, (column, session, _at, amount) => {
    if (column !== 'visitors') added[column][session]! += amount
    else added.visitors[session] = visitor[session] === NO_VISITOR ? 0 : 1
  })
  return added
}

function eachAddition(selected: SelectedOfValue, add: Add): void {
  eachHit(selected, add)
  eachStart(selected, add)
  eachEngagement(selected, add)
}

function eachHit({ block: { hits }, inRange }: SelectedOfValue, add: Add): void {
  const { count, at, type, session } = hits
  for (let hit = 0; hit < count; hit++) {
    if (inRange[hit] === 0) continue
    add('visitors', session[hit]!, at[hit]!, 1)
    if (type[hit] === PAGEVIEW) add('pageviews', session[hit]!, at[hit]!, 1)
    else if (type[hit] === EVENT) add('customEvents', session[hit]!, at[hit]!, 1)
  }
}

function eachStart({ block: { sessions }, started, isAtStart }: SelectedOfValue, add: Add): void {
  const { count, startedAt, pageviews, durationMs } = sessions
  for (let session = 0; session < count; session++) {
    if (started[session] === 0) continue
    const at = startedAt[session]!
    add('sessions', session, at, 1)
    if (pageviews[session] === 1) add('bounces', session, at, 1)
    add('durationMs', session, at, durationMs[session]!)
    if (!isAtStart) continue
    add('visitors', session, at, 1)
    add('pageviews', session, at, pageviews[session]!)
  }
}

/** Of a session its engaged time with the value, and its deepest scroll there. */
function eachEngagement({ block: { hits, sessions }, started, engaged }: SelectedOfValue, add: Add): void {
  if (!engaged) return
  for (let session = 0; session < sessions.count; session++) {
    if (started[session] === 0) continue
    const at = sessions.startedAt[session]!
    let deepest = -1
    let isEngaged = false
    for (let hit = sessions.firstHit[session]!; hit < sessions.firstHit[session + 1]!; hit++) {
      if (engaged[hit] === 0) continue
      isEngaged = true
      add('engagedMs', session, at, hits.engagedMs[hit]!)
      deepest = Math.max(deepest, hits.scroll[hit]!)
    }
    if (isEngaged) add('engagedSessions', session, at, 1)
    if (deepest < 0) continue
    add('scrolledSessions', session, at, 1)
    add('scrollSum', session, at, deepest)
  }
}
