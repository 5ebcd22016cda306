import { statement, type Transaction } from '../infra/db.ts'

/** Visitor and session of a row that the service records. */
export interface Attribution {
  visitorNo: number | null
  sessionNo: number | null
  sessionAt: Date | null
  /** The visitor has no session yet: the caller must pass the row to `awaitVisitor` in the same transaction. */
  isPending: boolean
}

/** Time and id of a row in one of the hypertables. */
export interface AttributedRow {
  target: 'revenue' | 'events' | 'mrr_movements'
  at: Date
  /** payment_id for revenue, id for the others */
  id: string
}

interface Found {
  visitorNo: number
  sessionNo: number | null
  sessionAt: Date | null
  hasSessions: boolean
}

interface Taken extends AttributedRow {
  siteNo: number
  visitorId: string
}

const findAttribution = statement<Found>('find-attribution')
const findFirstSession = statement<Omit<Found, 'hasSessions'>>('find-first-session')
const lockPayments = statement('lock-payments')
const lockNewcomers = statement('lock-newcomers')
const insertAwaiting = statement('insert-awaiting')
const selectAwaitedSites = statement<{ siteNo: number }>('select-awaited-sites')
const takeAwaiting = statement<Taken>('take-awaiting')

const ATTRIBUTE = {
  revenue: statement('attribute-revenue'),
  events: statement('attribute-event'),
  mrr_movements: statement('attribute-movement'),
}

/** First number of the lock that is held while visitors' first sessions are stored; the second is the site's number. */
export const NEWCOMERS_LOCK = 7_116_503

const NOBODY: Attribution = { visitorNo: null, sessionNo: null, sessionAt: null, isPending: false }

/**
 * Returns the visitor's session at a moment, else the latest session before it; no session when all sessions are later.
 * If hits that arrive later open sessions before that moment, the attribution stays.
 * Must be called before the transaction locks the site's row or writes: it can wait for hits that are being stored.
 */
export async function attribute(
  tx: Transaction,
  siteNo: number,
  visitorId: string | null | undefined,
  at: Date,
): Promise<Attribution> {
  if (!visitorId) return NOBODY
  const [found] = await findAttribution(tx, siteNo, visitorId, at)
  if (found?.hasSessions) return { ...placeOf(found), isPending: false }
  // Without this lock, this transaction could miss the first session while the one that stores it misses the waiting row.
  await lockNewcomers(tx, NEWCOMERS_LOCK, siteNo)
  const [again] = await findAttribution(tx, siteNo, visitorId, at)
  return { ...placeOf(again), isPending: !again?.hasSessions }
}

const placeOf = (found: Found | undefined) => ({
  visitorNo: found?.visitorNo ?? null,
  sessionNo: found?.sessionNo ?? null,
  sessionAt: found?.sessionAt ?? null,
})

/** Stores which rows wait for the visitor's first session. */
export async function awaitVisitor(
  tx: Transaction,
  siteNo: number,
  visitorId: string,
  rows: AttributedRow[],
): Promise<void> {
  await insertAwaiting(
    tx,
    siteNo,
    visitorId,
    rows.map(row => row.target),
    rows.map(row => row.at.getTime()),
    rows.map(row => row.id),
  )
}

/**
 * Attributes the rows that wait for visitors whose first sessions are stored now: to the session at the row's time or the
 * latest before it, else to the visitor's first session. Must run in the transaction that stores the sessions, after them, and
 * under the newcomers lock.
 * @returns sites and times of the changed events, Unix milliseconds
 */
export async function attributeAwaiting(
  tx: Transaction,
  visitors: { siteNo: number; id: string }[],
): Promise<{ siteNo: number; at: number }[]> {
  if (visitors.length === 0) return []
  // Nearly always no site has waiting rows; then the list of visitors is not sent.
  const awaited = await selectAwaitedSites(tx, [...new Set(visitors.map(visitor => visitor.siteNo))])
  const wanted = visitors.filter(visitor => awaited.some(({ siteNo }) => siteNo === visitor.siteNo))
  if (wanted.length === 0) return []
  const rows = await takeAwaiting(
    tx,
    wanted.map(visitor => visitor.siteNo),
    wanted.map(visitor => visitor.id),
  )
  const payments = rows.filter(row => row.target === 'revenue').map(row => row.id)
  if (payments.length > 0) await lockPayments(tx, payments)
  // One row per statement: an update of a columnstore chunk decompresses everything that its constants do not exclude.
  for (const { siteNo, visitorId, target, at, id } of rows) {
    const [found] = await findAttribution(tx, siteNo, visitorId, at)
    const [place] = found?.sessionNo ? [found] : await findFirstSession(tx, siteNo, visitorId)
    if (place) await ATTRIBUTE[target](tx, siteNo, at, id, place.visitorNo, place.sessionNo, place.sessionAt)
  }
  return rows.filter(row => row.target === 'events').map(({ siteNo, at }) => ({ siteNo, at: at.getTime() }))
}
