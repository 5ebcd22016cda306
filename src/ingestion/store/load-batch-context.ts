import { arrayText, timeText } from '../../platform/db/array-text.ts'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { EnrichedHit } from '../hit.ts'
import {
  addPageview,
  type BatchContext,
  pageKey,
  SESSION_SPAN_MS,
  type Session,
  type Visitor,
  visitorKey,
} from './batch-context.ts'
import { dimensionsOfSessions, type KnownDimensions } from './dimensions.ts'

const selectVisitors = query<
  { siteNos: string; ids: string },
  {
    visitorNo: number
    siteNo: number
    id: string
    importedAs: string | null
    firstSeenAt: Date
    sessionCount: number
    newestSessionAt: Date | null
    pendingIdentifier: string | null
    pendingSince: Date | null
    pendingSplits: boolean
  }
>(
  'select-visitors',
  `select
    visitors.visitor_no as "visitorNo",
    visitors.site_no as "siteNo",
    visitors.id,
    visitors.imported_as as "importedAs",
    visitors.first_seen_at as "firstSeenAt",
    visitors.session_count as "sessionCount",
    visitors.newest_session_at as "newestSessionAt",
    visitors.pending_identifier as "pendingIdentifier",
    visitors.pending_since as "pendingSince",
    visitors.pending_splits as "pendingSplits"
  from unnest(:siteNos::int[], :ids::uuid[]) as wanted (site_no, id)
  join visitors on visitors.site_no = wanted.site_no and visitors.id = wanted.id`,
)

interface SessionRow {
  visitorNo: number
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  pageviews: number
  events: number
  durationMs: number
  userId: string
  userSince: Date | null
  visitCount: number
  exitPath: string
  exitAt: Date | null
}

/** Sessions that started in [from, to], in the order of their first hits. */
const selectSessionsNear = query<{ siteNos: number[]; visitorNos: string; from: Date; to: Date }, SessionRow>(
  'select-sessions-near',
  `select
    visitor_no as "visitorNo",
    session_no as "sessionNo",
    started_at as "startedAt",
    first_at as "firstAt",
    last_at as "lastAt",
    pageviews,
    events,
    duration_ms::float8 as "durationMs",
    user_id as "userId",
    user_since as "userSince",
    visit_count as "visitCount",
    exit_path as "exitPath",
    exit_at as "exitAt"
  from sessions
  where visitor_no = any(:visitorNos::int[]) and started_at >= :from::timestamptz and started_at <= :to::timestamptz
  order by visitor_no, first_at, started_at, session_no`,
)

const selectPageviewsOf = query<
  { siteNos: number[]; visitorNos: number[]; paths: string[]; times: string; from: Date; to: Date },
  { visitorNo: number; sessionAt: Date; path: string; id: string; at: Date; title: string }
>('select-pageviews-of')

/**
 * Loads the batch context: visitors, sessions and pageviews that the session rules need for `hits`.
 * @param tx a transaction of `db`
 * @param hits sorted by time
 */
export async function loadBatchContext(db: Db, tx: Transaction, hits: EnrichedHit[]): Promise<BatchContext> {
  const context: BatchContext = { visitors: new Map(), pageviews: new Map() }
  const byNumber = await loadVisitors(tx, hits, context)
  if (byNumber.size === 0) return context
  const [from, to] = spanOf(hits)
  const siteNos = [...new Set(hits.map(hit => hit.siteNo))]
  const rows = await selectSessionsNear(tx, {
    siteNos,
    visitorNos: arrayText([...byNumber.keys()]),
    from,
    to,
  })
  const dimensions = await dimensionsOfSessions(db, tx, rows, { siteNos, from, to })
  rows.forEach((row, index) => {
    byNumber.get(row.visitorNo)!.sessions.push(toSession(row, dimensions[index]!))
  })
  await loadPageviews(tx, hits, context, byNumber)
  await loadExitIds(tx, hits, context)
  return context
}

/** The times at which sessions near the hits can have started. A restored hit may name a session that is itself a day away. */
function spanOf(hits: EnrichedHit[]): [Date, Date] {
  let from = hits[0]!.at
  let to = hits.at(-1)!.at
  for (const { restored } of hits) {
    const startedAt = restored?.session?.startedAt
    if (startedAt === undefined) continue
    from = Math.min(from, startedAt)
    to = Math.max(to, startedAt)
  }
  return [new Date(from - SESSION_SPAN_MS), new Date(to + SESSION_SPAN_MS)]
}

async function loadVisitors(
  tx: Transaction,
  hits: EnrichedHit[],
  context: BatchContext,
): Promise<Map<number, Visitor>> {
  const wanted = new Map<string, { siteNo: number; id: string }>()
  for (const { siteNo, visitorId, previousVisitorId } of hits) {
    wanted.set(visitorKey(siteNo, visitorId), { siteNo, id: visitorId })
    if (previousVisitorId)
      wanted.set(visitorKey(siteNo, previousVisitorId), { siteNo, id: previousVisitorId })
  }
  const visitors = [...wanted.values()]
  const rows = await selectVisitors(tx, {
    siteNos: arrayText(visitors.map(visitor => visitor.siteNo)),
    ids: arrayText(visitors.map(visitor => visitor.id)),
  })
  const byNumber = new Map<number, Visitor>()
  for (const row of rows) {
    const visitor: Visitor = {
      visitorNo: row.visitorNo,
      siteNo: row.siteNo,
      id: row.id,
      importedAs: row.importedAs,
      firstSeenAt: row.firstSeenAt.getTime(),
      sessionCount: row.sessionCount,
      hadSessions: row.sessionCount > 0,
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
    context.visitors.set(visitorKey(visitor.siteNo, visitor.id), visitor)
  }
  return byNumber
}

async function loadPageviews(
  tx: Transaction,
  hits: EnrichedHit[],
  context: BatchContext,
  byNumber: Map<number, Visitor>,
): Promise<void> {
  const visitorNos: number[] = []
  const paths: string[] = []
  const times: (string | null)[] = []
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const hit of hits) {
    if (hit.type !== 'engagement' && hit.type !== 'web_vitals') continue
    // A restored hit names its pageview by time.
    const notAfter = hit.restored?.pageAt ?? hit.at
    for (const id of [hit.visitorId, hit.previousVisitorId]) {
      const visitor = id && context.visitors.get(visitorKey(hit.siteNo, id))
      if (!visitor) continue
      visitorNos.push(visitor.visitorNo)
      paths.push(hit.path)
      times.push(timeText(notAfter))
    }
    from = Math.min(from, notAfter - 2 * SESSION_SPAN_MS)
    to = Math.max(to, hit.at)
  }
  if (visitorNos.length === 0) return
  const span = { from: new Date(from), to: new Date(to) }
  const siteNos = [...new Set(hits.map(hit => hit.siteNo))]
  for (const row of await selectPageviewsOf(tx, {
    siteNos,
    visitorNos,
    paths,
    times: arrayText(times),
    ...span,
  })) {
    const key = pageKey(byNumber.get(row.visitorNo)!, row.sessionAt.getTime(), row.path)
    addPageview(context, key, { id: row.id, at: row.at.getTime(), title: row.title })
  }
}

/** The highest id of the pageviews of sessions at given times. */
const findExitIds = query<
  { siteNos: number[]; sessionNos: number[]; times: string },
  { sessionNo: number; id: string }
>(
  'find-exit-ids',
  `select exit.session_no as "sessionNo", hit.id
  from unnest(:siteNos::int[], :sessionNos::bigint[], :times::timestamptz[]) as exit (site_no, session_no, at)
  -- One lookup in the index by time for each session: the plan of a join would depend on estimates.
  cross join lateral (
    select id
    from events
    where site_no = exit.site_no and at = exit.at and session_no = exit.session_no and type = 'pageview'
    order by id desc
    limit 1
  ) as hit`,
)

/** Loads the ids of exit pages that have the time of a new pageview: the higher id is the later of the two. */
async function loadExitIds(tx: Transaction, hits: EnrichedHit[], context: BatchContext): Promise<void> {
  const tied = new Map<number, { siteNo: number; session: Session }>()
  for (const hit of hits) {
    if (hit.type !== 'pageview') continue
    for (const id of [hit.visitorId, hit.previousVisitorId]) {
      const visitor = id && context.visitors.get(visitorKey(hit.siteNo, id))
      if (!visitor) continue
      for (const session of visitor.sessions)
        if (session.exit?.at === hit.at) tied.set(session.sessionNo, { siteNo: hit.siteNo, session })
    }
  }
  if (tied.size === 0) return
  const exits = [...tied.values()]
  const rows = await findExitIds(tx, {
    siteNos: exits.map(({ siteNo }) => siteNo),
    sessionNos: exits.map(({ session }) => session.sessionNo),
    times: arrayText(exits.map(({ session }) => timeText(session.exit!.at))),
  })
  for (const { sessionNo, id } of rows) tied.get(sessionNo)!.session.exit!.id = id
}

function toSession(row: SessionRow, { dimensions, copiedText }: KnownDimensions): Session {
  return {
    sessionNo: row.sessionNo,
    startedAt: row.startedAt.getTime(),
    firstAt: row.firstAt.getTime(),
    lastAt: row.lastAt.getTime(),
    storedLastAt: row.lastAt.getTime(),
    stored: { pageviews: row.pageviews, events: row.events, durationMs: row.durationMs },
    pageviews: row.pageviews,
    events: row.events,
    userId: row.userId,
    userSince: row.userSince?.getTime(),
    visitCount: row.visitCount,
    exit: row.exitAt ? { path: row.exitPath, at: row.exitAt.getTime(), id: undefined } : undefined,
    dimensions,
    copiedText,
    isNew: false,
    isChanged: false,
  }
}
