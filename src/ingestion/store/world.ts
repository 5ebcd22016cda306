import { arrayText } from '../../infra/array-text.ts'
import { type Db, statement, type Transaction } from '../../infra/db.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Dimensions } from './dimensions.ts'
import { dimensionsOfSessions } from './known-dimensions.ts'
import { pageKey, SESSION_SPAN_MS, type Session, type Visitor, visitorKey, type World } from './timeline.ts'

interface VisitorRow {
  visitorNo: number
  siteNo: number
  id: string
  firstSeenAt: Date
  sessionCount: number
  newestSessionAt: Date | null
  pendingIdentifier: string | null
  pendingSince: Date | null
  pendingSplits: boolean
}

interface SessionRow {
  visitorNo: number
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  pageviews: number
  events: number
  userId: string
  userSince: Date | null
  visitCount: number
}

interface PageviewRow {
  visitorNo: number
  sessionAt: Date
  path: string
  id: string
  at: Date
  title: string
}

const selectVisitors = statement<VisitorRow>('select-visitors')
const selectSessionsNear = statement<SessionRow>('select-sessions-near')
const selectPageviewsOf = statement<PageviewRow>('select-pageviews-of')

/**
 * Loads the batch context: visitors, sessions and pageviews that the session rules need for `hits`.
 * @param tx a transaction of `db`
 * @param hits sorted by time
 */
export async function loadWorld(db: Db, tx: Transaction, hits: EnrichedHit[]): Promise<World> {
  const world: World = { visitors: new Map(), pageviews: new Map() }
  const byNumber = await loadVisitors(tx, hits, world)
  if (byNumber.size === 0) return world
  const from = new Date(hits[0]!.at - SESSION_SPAN_MS)
  const to = new Date(hits.at(-1)!.at + SESSION_SPAN_MS)
  const rows = await selectSessionsNear(tx, arrayText([...byNumber.keys()]), from, to)
  const dimensions = await dimensionsOfSessions(db, tx, rows, { from, to })
  rows.forEach((row, index) => {
    byNumber.get(row.visitorNo)!.sessions.push(toSession(row, dimensions[index]!))
  })
  await loadPageviews(tx, hits, world, byNumber)
  return world
}

async function loadVisitors(
  tx: Transaction,
  hits: EnrichedHit[],
  world: World,
): Promise<Map<number, Visitor>> {
  const wanted = new Map<string, { siteNo: number; id: string }>()
  for (const { siteNo, visitorId, previousVisitorId } of hits) {
    wanted.set(visitorKey(siteNo, visitorId), { siteNo, id: visitorId })
    if (previousVisitorId)
      wanted.set(visitorKey(siteNo, previousVisitorId), { siteNo, id: previousVisitorId })
  }
  const visitors = [...wanted.values()]
  const rows = await selectVisitors(
    tx,
    arrayText(visitors.map(visitor => visitor.siteNo)),
    arrayText(visitors.map(visitor => visitor.id)),
  )
  const byNumber = new Map<number, Visitor>()
  for (const row of rows) {
    const visitor: Visitor = {
      visitorNo: row.visitorNo,
      siteNo: row.siteNo,
      id: row.id,
      firstSeenAt: row.firstSeenAt.getTime(),
      sessionCount: row.sessionCount,
      newestSessionAt: row.newestSessionAt?.getTime(),
      lateSessionAt: undefined,
      sessions: [],
      pending:
        row.pendingIdentifier === null
          ? undefined
          : {
              identifier: row.pendingIdentifier,
              since: row.pendingSince!.getTime(),
              splits: row.pendingSplits,
            },
      isNew: false,
      isChanged: false,
    }
    byNumber.set(visitor.visitorNo, visitor)
    world.visitors.set(visitorKey(visitor.siteNo, visitor.id), visitor)
  }
  return byNumber
}

async function loadPageviews(
  tx: Transaction,
  hits: EnrichedHit[],
  world: World,
  byNumber: Map<number, Visitor>,
): Promise<void> {
  const visitorNos: number[] = []
  const paths: string[] = []
  const times: number[] = []
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const hit of hits) {
    if (hit.type !== 'engagement') continue
    for (const id of [hit.visitorId, hit.previousVisitorId]) {
      const visitor = id && world.visitors.get(visitorKey(hit.siteNo, id))
      if (!visitor) continue
      visitorNos.push(visitor.visitorNo)
      paths.push(hit.path)
      times.push(hit.at)
    }
    from = Math.min(from, hit.at - 2 * SESSION_SPAN_MS)
    to = Math.max(to, hit.at)
  }
  if (visitorNos.length === 0) return
  for (const row of await selectPageviewsOf(tx, visitorNos, paths, times, new Date(from), new Date(to))) {
    const key = pageKey(byNumber.get(row.visitorNo)!, row.sessionAt.getTime(), row.path)
    const pageview = { id: row.id, at: row.at.getTime(), title: row.title }
    const known = world.pageviews.get(key)
    if (known) known.push(pageview)
    else world.pageviews.set(key, [pageview])
  }
}

function toSession(row: SessionRow, dimensions: Dimensions): Session {
  return {
    sessionNo: row.sessionNo,
    startedAt: row.startedAt.getTime(),
    firstAt: row.firstAt.getTime(),
    lastAt: row.lastAt.getTime(),
    storedLastAt: row.lastAt.getTime(),
    pageviews: row.pageviews,
    events: row.events,
    userId: row.userId,
    userSince: row.userSince?.getTime(),
    visitCount: row.visitCount,
    dimensions,
    isNew: false,
    isChanged: false,
  }
}
