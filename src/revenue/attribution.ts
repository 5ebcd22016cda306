import { statement, type Transaction } from '../infra/db.ts'

/** To whom something that the service records belongs. */
export interface Attribution {
  visitorNo: number | null
  sessionNo: number | null
  sessionAt: Date | null
  /** The visitor has no session yet: what is recorded must wait for it, by `awaitVisitor` in the same transaction. */
  isPending: boolean
}

/** A row of one of the hypertables, by its time and id. */
export interface AttributedRow {
  target: 'revenue' | 'events' | 'mrr_movements'
  at: Date
  /** payment_id of revenue, id of the others */
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

/** First of the two numbers of the lock that visitors' first sessions are stored under; the other is the site's. */
export const NEWCOMERS_LOCK = 7_116_503

const NOBODY: Attribution = { visitorNo: null, sessionNo: null, sessionAt: null, isPending: false }

/**
 * The visitor's session at a moment, else the latest before it. A visitor whose sessions are all later has none then.
 * Sessions that hits open later, with times before that moment, change nothing any more.
 * To be called before the transaction locks the site's row or writes: it may have to wait for hits that are being stored.
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
  // Either this sees the visitor's first session, or whoever stores it sees what waits for it.
  await lockNewcomers(tx, NEWCOMERS_LOCK, siteNo)
  const [again] = await findAttribution(tx, siteNo, visitorId, at)
  return { ...placeOf(again), isPending: !again?.hasSessions }
}

const placeOf = (found: Found | undefined) => ({
  visitorNo: found?.visitorNo ?? null,
  sessionNo: found?.sessionNo ?? null,
  sessionAt: found?.sessionAt ?? null,
})

/** Keeps rows whose attribution is pending until the visitor has a session. */
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
 * Attributes what waits for visitors who have their first sessions now: to the session at its time or the latest before,
 * else to the first, with which they appeared. In the transaction that stores the sessions, after them, and under the
 * newcomers' lock.
 * @returns where events were changed, Unix milliseconds
 */
export async function attributeAwaiting(
  tx: Transaction,
  visitors: { siteNo: number; id: string }[],
): Promise<{ siteNo: number; at: number }[]> {
  if (visitors.length === 0) return []
  // Nearly always none: then no list of visitors is sent.
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
  // One by one: an update of a columnstore chunk unpacks all that its constants do not exclude.
  for (const { siteNo, visitorId, target, at, id } of rows) {
    const [found] = await findAttribution(tx, siteNo, visitorId, at)
    const [place] = found?.sessionNo ? [found] : await findFirstSession(tx, siteNo, visitorId)
    if (place) await ATTRIBUTE[target](tx, siteNo, at, id, place.visitorNo, place.sessionNo, place.sessionAt)
  }
  return rows.filter(row => row.target === 'events').map(({ siteNo, at }) => ({ siteNo, at: at.getTime() }))
}
