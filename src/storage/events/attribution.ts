import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { stampServiceEvents } from '../columns/stamps.ts'

/** Visitor and session of a row that the service records; null where unknown. */
export interface Attribution {
  visitorNo: number | null
  sessionNo: number | null
  sessionAt: Date | null
}

interface PossiblyPending extends Attribution {
  /** The visitor has no session yet: the caller must pass the row to `awaitVisitor` in the same transaction. */
  isPending?: boolean
}

/** Time and id of a row in one of the hypertables. */
interface Row {
  siteNo: number
  at: Date
  /** payment_id for revenue, id for the others */
  id: string
}

export interface AwaitingRow extends Row {
  target: 'revenue' | 'events' | 'mrr_movements'
  visitorId: string
}

interface Found extends Attribution {
  hasSessions: boolean
}

const findAttribution = query<{ siteNo: number; visitorId: string; at: Date }, Found>('find-attribution')

const findAttributions = query<{ siteNo: number; rows: string }, Found & { no: number }>('find-attributions')

const findFirstSession = query<{ siteNo: number; visitorId: string }, Attribution>(
  'find-first-session',
  `select visitors.visitor_no as "visitorNo", session.session_no as "sessionNo", session.started_at as "sessionAt"
  from visitors
  cross join lateral (
    select session_no, started_at
    from sessions
    where site_no = :siteNo::int and visitor_no = visitors.visitor_no and started_at >= visitors.first_seen_at
    order by started_at
    limit 1
  ) as session
  where visitors.site_no = :siteNo::int and visitors.id = :visitorId`,
)

/**
 * Every transaction that changes the ledger row of a payment must first lock the row of the payment, in an earlier statement:
 * when two transactions change one row of a hypertable at the same time, TimescaleDB (2.28) loses the second change without an
 * error.
 */
const lockPayments = query<{ siteNo: number; ids: string[] }, { id: string }>(
  'lock-payments',
  'select id from payments where site_no = :siteNo::int and id = any(:ids::uuid[]) order by paid_at, id for no key update',
)

/** Locks in the order of sites, to prevent deadlocks. */
async function lockPaymentsOf(tx: Transaction, rows: readonly AwaitingRow[]): Promise<void> {
  const paid = rows.filter(({ target }) => target === 'revenue')
  for (const siteNo of [...new Set(paid.map(row => row.siteNo))].sort((a, b) => a - b)) {
    const ids = paid.filter(row => row.siteNo === siteNo).map(({ id }) => id)
    await lockPayments(tx, { siteNo, ids })
  }
}

const lockNewcomersOf = query<{ lock: number; siteNo: number }>(
  'lock-newcomers',
  'select pg_advisory_xact_lock(:lock::int, :siteNo::int)',
)

/**
 * Waits for the transactions that store first sessions of visitors at a site, and blocks new ones until this transaction ends.
 * Those transactions share the lock among themselves (see draw-numbers). A transaction that attributes rows again after it has written
 * takes it first: what it wrote could be what they wait for.
 */
export const lockNewcomers = (tx: Transaction, siteNo: number) =>
  lockNewcomersOf(tx, { lock: ADVISORY_LOCKS.newcomers, siteNo })

const insertAwaiting = query<AwaitingRow>(
  'insert-awaiting',
  `insert into awaiting_visitors (site_no, visitor_id, target, at, id)
  values (:siteNo, :visitorId, :target, :at, :id)
  on conflict do nothing`,
)

const clearServiceEvent = query<Row>(
  'unlink-service-event',
  `update events
  set visitor_no = null, session_no = null, session_at = null, {cleared_assignments}
  where site_no = :siteNo::int and at = :at::timestamptz and id = :id::uuid and is_service`,
)

/** An event that the service wrote stays, without its visitor and with empty dimensions. No count of the event log changes. */
export async function unlinkServiceEvent(tx: Transaction, row: Row): Promise<void> {
  await clearServiceEvent(tx, row)
  await stampServiceEvents(tx, [row])
}

/** Deletes rows that wait for a visitor. */
export const deleteAwaiting = query<{ siteNo: number; visitorId: string; ids: string[] }>(
  'delete-awaiting',
  'delete from awaiting_visitors where site_no = :siteNo and visitor_id = :visitorId and id = any(:ids::uuid[])',
)

const selectAwaitedSites = query<{ siteNos: number[] }, { siteNo: number }>(
  'select-awaited-sites',
  `select distinct site_no as "siteNo"
  from awaiting_visitors
  where site_no = any(:siteNos::int[])`,
)

/** Deletes and returns the rows that wait for the visitors. */
const dequeueAwaiting = query<{ siteNos: number[]; visitorIds: string[] }, AwaitingRow>(
  'dequeue-awaiting',
  `delete from awaiting_visitors
  using unnest(:siteNos::int[], :visitorIds::uuid[]) as appeared (site_no, id)
  where awaiting_visitors.site_no = appeared.site_no and awaiting_visitors.visitor_id = appeared.id
  returning
    awaiting_visitors.site_no as "siteNo",
    awaiting_visitors.visitor_id as "visitorId",
    awaiting_visitors.target,
    awaiting_visitors.at,
    awaiting_visitors.id`,
)

/**
 * Call it only after the movement was removed from awaiting_visitors or was not found there: when two transactions change one
 * row of a hypertable at the same time, TimescaleDB (2.28) loses the second change without an error.
 */
export const attributeMovement = query<Row & Attribution>(
  'attribute-movement',
  `update mrr_movements
  set visitor_no = :visitorNo, session_no = :sessionNo, session_at = :sessionAt
  where site_no = :siteNo and at = :at and id = :id`,
)

const ATTRIBUTE = {
  revenue: query<Row & Attribution>(
    'attribute-revenue',
    `update revenue
    set visitor_no = :visitorNo, session_no = :sessionNo, session_at = :sessionAt
    where site_no = :siteNo and at = :at and payment_id = :id`,
  ),
  events: query<Row & Attribution>('attribute-event'),
  mrr_movements: attributeMovement,
}

const UNLINK = { ...ATTRIBUTE, events: (tx: Transaction, row: Row) => unlinkServiceEvent(tx, row) }

const UNKNOWN: Attribution = { visitorNo: null, sessionNo: null, sessionAt: null }

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
): Promise<PossiblyPending> {
  if (!visitorId) return UNKNOWN
  const [found] = await findAttribution(tx, { siteNo, visitorId, at })
  if (found?.hasSessions) return found
  // Without this lock, this transaction could miss the first session while the one that stores it misses the waiting row.
  await lockNewcomers(tx, siteNo)
  const [again] = await findAttribution(tx, { siteNo, visitorId, at })
  return { ...(again ?? UNKNOWN), isPending: !again?.hasSessions }
}

/** The same as `attribute` for many visitors and times, in their order. */
export async function attributeAll(
  tx: Transaction,
  siteNo: number,
  given: readonly { visitorId?: string | null | undefined; at: Date }[],
): Promise<PossiblyPending[]> {
  const named = given.flatMap(({ visitorId, at }, index) => (visitorId ? [{ visitorId, at, index }] : []))
  const all: PossiblyPending[] = given.map(() => UNKNOWN)
  if (named.length === 0) return all
  const find = async (wanted: typeof named) => {
    const rows = wanted.map(({ visitorId, at, index }) => ({ no: index, visitorId, at }))
    const attributed = await findAttributions(tx, { siteNo, rows: JSON.stringify(rows) })
    const found = new Map(attributed.map(({ no, ...row }) => [no, row]))
    return wanted.filter(({ index }) => {
      const row = found.get(index)
      all[index] = { ...(row ?? UNKNOWN), isPending: !row?.hasSessions }
      return !row?.hasSessions
    })
  }
  const lacking = await find(named)
  if (lacking.length > 0) {
    // As in `attribute`: a first session that is being stored now must not be missed.
    await lockNewcomers(tx, siteNo)
    await find(lacking)
  }
  return all
}

/** Stores that a row waits for the first session of its visitor, if its attribution is pending. */
export async function awaitVisitor(
  tx: Transaction,
  { isPending }: PossiblyPending,
  { visitorId, ...row }: Omit<AwaitingRow, 'visitorId'> & { visitorId: string | null | undefined },
): Promise<void> {
  if (isPending && visitorId) await insertAwaiting(tx, { ...row, visitorId })
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
  const awaited = await selectAwaitedSites(tx, {
    siteNos: [...new Set(visitors.map(visitor => visitor.siteNo))],
  })
  const wanted = visitors.filter(visitor => awaited.some(({ siteNo }) => siteNo === visitor.siteNo))
  if (wanted.length === 0) return []
  const rows = await dequeueAwaiting(tx, {
    siteNos: wanted.map(visitor => visitor.siteNo),
    visitorIds: wanted.map(visitor => visitor.id),
  })
  await lockPaymentsOf(tx, rows)
  // One row per statement: an update of a columnstore chunk decompresses everything that its constants do not exclude.
  for (const { siteNo, visitorId, target, at, id } of rows) {
    const [found] = await findAttribution(tx, { siteNo, visitorId, at })
    const [session] = found?.sessionNo ? [found] : await findFirstSession(tx, { siteNo, visitorId })
    if (session) await ATTRIBUTE[target](tx, { ...session, siteNo, at, id })
  }
  const events = rows.filter(({ target }) => target === 'events')
  await stampServiceEvents(tx, events)
  return events.map(({ siteNo, at }) => ({ siteNo, at: at.getTime() }))
}

/** Takes rows from their visitor, who is going to be deleted: they wait for the visitor again, as if no hit of theirs had come. */
export async function awaitAgain(tx: Transaction, rows: AwaitingRow[]): Promise<void> {
  await lockPaymentsOf(tx, rows)
  for (const row of rows) {
    await UNLINK[row.target](tx, { ...row, ...UNKNOWN })
    await insertAwaiting(tx, row)
  }
}
