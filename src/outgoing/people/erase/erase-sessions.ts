import { deleteReplay, lockReplays } from '../../../ingestion/replays/delete-replays.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import { stampChanges } from '../../../storage/columns/stamps.ts'
import { markBuckets } from '../../../storage/rollups/dirty.ts'
import { type ErasedHit, eraseHits } from './erase-hits.ts'
import { inErasingTransaction } from './erasing-transaction.ts'
import { addItems, type Erasure, numbersOf, type Outcome } from './items.ts'
import { walk } from './walk.ts'

interface Session {
  visitorNo: number
  sessionNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  userId: string
}

const COLUMNS = `
  visitor_no as "visitorNo", session_no as "sessionNo", started_at as "startedAt", first_at as "firstAt",
  last_at as "lastAt", user_id as "userId"`

/** Sessions that start after the request are new data. */
const selectOfVisitor = query<{ siteNo: number; visitorNo: number; until: Date; limit: number }, Session>(
  'select-erased-sessions-of-visitor',
  `select ${COLUMNS}
  from sessions
  where site_no = :siteNo and visitor_no = :visitorNo and started_at < :until
  order by started_at, session_no
  limit :limit`,
)

const selectOfUser = query<
  TimeSpan & { siteNo: number; userId: string; until: Date; limit: number },
  Session
>(
  'select-erased-sessions-of-user',
  `select ${COLUMNS}
  from sessions
  where site_no = :siteNo and user_id = :userId
    and started_at >= :start and started_at < :end and started_at < :until
  order by started_at, session_no
  limit :limit`,
)

type SessionKey = { siteNo: number } & Pick<Session, 'startedAt' | 'sessionNo'>

const findSession = query<SessionKey, Session>(
  'find-erased-session',
  `select ${COLUMNS}
  from sessions
  where site_no = :siteNo and started_at = :startedAt and session_no = :sessionNo`,
)

/** An identify hit may come up to 30 minutes after the last hit of its session, which it does not make longer. */
const selectHits = query<
  { siteNo: number; visitorNo: number; sessionNo: number; firstAt: Date; lastAt: Date; limit: number },
  ErasedHit & { pageAt: Date | null }
>(
  'select-erased-hits',
  `select at, id, type, error_id as "errorId", page_at as "pageAt"
  from events
  where site_no = :siteNo::int and visitor_no = :visitorNo::int and session_no = :sessionNo::bigint and not is_service
    and at >= :firstAt::timestamptz and at <= :lastAt::timestamptz + interval '30 minutes'
  order by at, id
  limit :limit`,
)

/** Notes the digests of the values that a daily rollup has of the row of a session and not of its hits. */
const noteValues = query<SessionKey & { erasureId: string }>(
  'note-erased-session-values',
  `insert into erasure_items (erasure_id, site_no, kind, value)
  select distinct
    :erasureId::uuid, site_no, 'value', encode(substring(sha256(convert_to(value, 'UTF8')) for 16), 'hex')::uuid::text
  from sessions
  cross join lateral unnest(array[{rolled_up_start_columns}]) as carried (value)
  where site_no = :siteNo::int and started_at = :startedAt::timestamptz and session_no = :sessionNo::bigint and value <> ''
  on conflict do nothing`,
)

const deleteSession = query<SessionKey, { pageviews: number; durationMs: number }>(
  'delete-erased-session',
  `delete from sessions
  where site_no = :siteNo and started_at = :startedAt and session_no = :sessionNo
  returning pageviews, duration_ms::float8 as "durationMs"`,
)

/** A report lies at the time of a pageview of the session. */
const deleteReports = query<{ siteNo: number; sessionNo: number; firstAt: Date; lastAt: Date }>(
  'delete-erased-web-vitals',
  `delete from web_vitals
  where site_no = :siteNo::int and session_no = :sessionNo::bigint
    and at >= :firstAt::timestamptz and at <= :lastAt::timestamptz`,
)

/** Deletes what money has kept of a session; another session may be the first visit of its customers from now on. */
async function forgetMoneySession(
  tx: Transaction,
  session: { siteNo: number; sessionNo: number; visitorNo: number },
): Promise<void> {
  await deleteMoneySession(tx, session)
  const customers = (await selectFirstVisited(tx, session)).map(({ customer }) => customer)
  if (customers.length > 0) await forgetFirstVisit(tx, { siteNo: session.siteNo, customers })
}

const deleteMoneySession = query<{ siteNo: number; sessionNo: number }>(
  'delete-money-session',
  'delete from money_sessions where site_no = :siteNo and session_no = :sessionNo',
)
const selectFirstVisited = query<
  { siteNo: number; sessionNo: number; visitorNo: number },
  { customer: string }
>(
  'select-customers-of-first-visit',
  `select distinct customer
  from customers
  where site_no = :siteNo and first_visitor_no = :visitorNo and first_session_no = :sessionNo`,
)
const forgetFirstVisit = query<{ siteNo: number; customers: string[] }>(
  'forget-first-visit',
  'select forget_first_visit(:siteNo::int, :customers::text[])',
)

/** Keeps the count right for payments that come meanwhile; the rest of the visitor's row follows later. */
const discountSession = query<{ visitorNo: number }>(
  'discount-session',
  'update visitors set session_count = greatest(0, session_count - 1) where visitor_no = :visitorNo',
)

/** Maximum sessions that are read at once. */
const MOST_SESSIONS = 50

/**
 * Deletes all sessions of the person with their hits: those of the visitor, and those with the user. One transaction deletes a
 * session, or a part of its hits.
 * @param mostHits maximum hits of one transaction
 */
export async function eraseSessions(
  db: Db,
  erasure: Erasure,
  hasTime: () => boolean,
  mostHits: number,
): Promise<Outcome> {
  const { siteNo, requestedAt: until, person: userId } = erasure
  const limit = MOST_SESSIONS
  const eraseAll = async (read: () => Promise<Session[]>) => {
    for (;;) {
      const sessions = await read()
      for (const session of sessions) {
        if (!(await eraseSession(db, erasure, session, hasTime, mostHits))) return false
        // After the session: a run that only reads would never end.
        if (!hasTime()) return false
      }
      if (sessions.length < limit) return true
    }
  }
  for (const visitorNo of await numbersOf(db, erasure, 'visitor')) {
    if (!(await eraseAll(() => selectOfVisitor(db, { siteNo, visitorNo, until, limit })))) return 'more'
  }
  return walk(db, erasure, hasTime, span =>
    eraseAll(() => selectOfUser(db, { ...span, siteNo, userId, until, limit })),
  )
}

/** @returns false when the time limit stopped it */
async function eraseSession(
  db: Db,
  erasure: Erasure,
  session: Session,
  hasTime: () => boolean,
  mostHits: number,
): Promise<boolean> {
  const erasePart = (tx: Transaction) => erasePartOf(tx, erasure, session, mostHits)
  while ((await inErasingTransaction(db, erasure.siteNo, erasePart)) === false) {
    if (!hasTime()) return false
  }
  return true
}

/** @returns whether the session is gone */
async function erasePartOf(
  tx: Transaction,
  erasure: Erasure,
  { startedAt, sessionNo }: Session,
  mostHits: number,
): Promise<boolean> {
  const { siteNo } = erasure
  // Hits that were stored after the session was read have made it longer.
  const [session] = await findSession(tx, { siteNo, startedAt, sessionNo })
  if (!session) return true
  const { visitorNo, firstAt, lastAt, userId } = session
  const hits = await selectHits(tx, { siteNo, visitorNo, sessionNo, firstAt, lastAt, limit: mostHits })
  await eraseHits(tx, erasure, hits)
  await addItems(tx, erasure, 'session', [sessionNo])
  await addItems(tx, erasure, 'touched', [visitorNo])
  if (userId !== '' && userId !== erasure.person) await addItems(tx, erasure, 'identifier', [userId])
  const isGone = hits.length < mostHits
  if (isGone) {
    await lockReplays(tx, siteNo)
    await deleteReplay(tx, { siteNo, sessionNo })
    await deleteReports(tx, { siteNo, sessionNo, firstAt, lastAt })
    await noteValues(tx, { siteNo, startedAt, sessionNo, erasureId: erasure.id })
    await deleteSession(tx, { siteNo, startedAt, sessionNo })
    await discountSession(tx, { visitorNo })
    await forgetMoneySession(tx, { siteNo, sessionNo, visitorNo })
  }
  const touched = hits.map(({ at }) => ({ siteNo, at: at.getTime() }))
  const started = { siteNo, at: startedAt.getTime() }
  await stampChanges(tx, 'sessions', [started])
  await markBuckets(tx, 'hits', touched)
  await markBuckets(tx, 'daily_rollups', [
    ...touched,
    ...hits.flatMap(({ pageAt }) => (pageAt ? [{ siteNo, at: pageAt.getTime() }] : [])),
    started,
  ])
  return isGone
}
