import type { Db } from '../../db/connect.ts'
import { cacheOf } from '../daily/rollup-cache.ts'
import { concat, moveDistinct } from '../daily/visitor-set.ts'
import { NO_TRAFFIC, type Tasks, type TrafficTotals } from '../protocol.ts'
import { HAS_HITS, IS_BOUNCE, IS_STARTED, SESSIONS } from './build-parts.ts'
import type { Block } from './codec.ts'
import { SessionMatcher } from './match-sessions.ts'
import { NumberList } from './number-list.ts'
import { eachPart } from './read-parts.ts'

interface Counted {
  totals: TrafficTotals
  visitors: NumberList
}

/** Returns the totals of windows that do not overlap, of sessions that match all filters. */
export async function countFilteredTraffic(
  db: Db,
  { siteNo, filters, windows }: Tasks['countFilteredTraffic']['input'],
): Promise<Tasks['countFilteredTraffic']['output']> {
  const counted = windows.map((): Counted => ({ totals: { ...NO_TRAFFIC }, visitors: new NumberList() }))
  const windowOf = new Map(
    windows.flatMap(({ days }, index) => days.map(({ start }) => [start, counted[index]!])),
  )
  const days = windows.flatMap(window => window.days)
  const matcher = new SessionMatcher(filters)
  const source = { db, cache: cacheOf(db), siteNo }
  const isRead = await eachPart(source, days, [SESSIONS, ...matcher.names], part => {
    const sessions = part.block(SESSIONS)!
    const matching = matcher.match(part, sessions.columns.flags!.length)
    addSessions(windowOf.get(part.start)!, sessions, matching)
  })
  if (!isRead) return null
  return windows.map(({ rows }, index) => {
    const { totals, visitors } = counted[index]!
    for (const { counts } of rows) addTotals(totals, counts)
    const lists = rows.flatMap(row => row.visitors)
    return { ...totals, visitors: moveDistinct(concat([visitors.numbers, ...lists])) }
  })
}

function addSessions({ totals, visitors }: Counted, { columns }: Block, matching: Uint8Array): void {
  const [flags, visitorNos] = [columns.flags!, columns.visitorNos!]
  const [pageviews, customEvents, durationMs] = [
    columns.pageviews!,
    columns.customEvents!,
    columns.durationMs!,
  ]
  for (let index = 0; index < matching.length; index++) {
    if (matching[index] === 0) continue
    const flag = flags[index]!
    totals.pageviews += pageviews[index]!
    totals.customEvents += customEvents[index]!
    if (flag & HAS_HITS) visitors.push(visitorNos[index]!)
    if (flag & IS_STARTED) totals.sessions += 1
    if (flag & IS_BOUNCE) totals.bounces += 1
    totals.durationMs += durationMs[index]!
  }
}

function addTotals(into: TrafficTotals, added: Omit<TrafficTotals, 'visitors'>): void {
  into.pageviews += added.pageviews
  into.customEvents += added.customEvents
  into.sessions += added.sessions
  into.bounces += added.bounces
  into.durationMs += added.durationMs
}
