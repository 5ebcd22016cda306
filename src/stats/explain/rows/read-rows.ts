import type { ChangeKind } from '../../money/mrr-changes.ts'
import type { StatsServices } from '../../query-context.ts'
import { sessionIdOf } from '../../sessions/session-id.ts'
import type { ExplainedRow } from '../answer.ts'
import { presentAmount } from '../answer.ts'
import type { RowKind, TermName } from '../explanation.ts'
import type { Asked } from '../terms.ts'
import { listCountedConverters } from './converters.ts'
import { type After, cursorOf } from './cursor.ts'
import {
  type CountedPayment,
  listCountedMovements,
  listCountedPayments,
  type WantedPayments,
} from './money.ts'
import { type CountedSession, listCountedSessions } from './sessions.ts'
import { listCountedChanges, listSubscribedBefore } from './subscribed.ts'

/** A row, and where the list continues behind it. */
interface Listed {
  key: After
  row: ExplainedRow
}

interface Wanted extends Asked {
  terms: readonly TermName[]
  /** Time span of the number, or of one bucket of it. */
  span: { start: Date; end: Date }
  after: After | undefined
  limit: number
  /** Whether the reader may see ids of payments. */
  seesPayments: boolean
  detailsFrom: Date | null
}

/** Returns a page of the rows that a number comes from, the newest first. */
export async function readRows(kind: RowKind, wanted: Wanted) {
  // One more tells whether there is a next page.
  const listed = await LISTS[kind]({ ...wanted, limit: wanted.limit + 1 })
  const page = listed.slice(0, wanted.limit)
  const last = page.at(-1)
  return {
    kind,
    data: page.map(({ row }) => row),
    next_cursor: last && listed.length > page.length ? cursorOf(last.key) : null,
  }
}

const LISTS: Record<RowKind, (wanted: Wanted) => Promise<Listed[]>> = {
  session: listSessions,
  visitor: async wanted => {
    const { explained, targets, subject, terms } = wanted
    // As the number itself: of the overview, the filter on the goal says who converted and not whose sessions count.
    const goal = subject ? explained.resolved.goal : undefined
    const found = { ...explained, resolved: { ...explained.resolved, goal } }
    const converters = await listCountedConverters(found, targets!, wanted)
    return converters.map(({ at, id }) =>
      listedRow({ at, id }, { id, values: valuesOf(terms, { converting_visitors: 1n }) }),
    )
  },
  payment: listPayments,
  movement: async wanted => {
    const movements = await listCountedMovements(wanted.explained, wanted)
    return movements.map(({ subscriptionId, kind, amount, ...row }) =>
      listedRow(row, {
        id: row.id,
        subscription_id: subscriptionId,
        kind,
        session_id: sessionOf(row, wanted),
        values: valuesOf(wanted.terms, { mrr_change: BigInt(amount) }),
      }),
    )
  },
  subscription: wanted => listSubscribed('subscription', wanted),
  customer: wanted => listSubscribed('customer', wanted),
  change: listChanges,
}

const NOTHING = {
  session_id: null,
  visitor_id: null,
  subscription_id: null,
  customer: null,
  kind: null,
}

const listedRow = (key: After, row: Pick<ExplainedRow, 'id' | 'values'> & Partial<ExplainedRow>): Listed => ({
  key,
  row: { ...NOTHING, at: key.at.toISOString(), ...row },
})

/** Values of the terms that a row knows of. */
const valuesOf = (
  terms: readonly TermName[],
  amounts: Partial<Record<TermName, bigint>>,
): ExplainedRow['values'] =>
  Object.fromEntries(
    terms.flatMap(term => (amounts[term] === undefined ? [] : [[term, presentAmount(amounts[term])]])),
  )

/** Terms of sessions that decide which are listed, instead of those that are counted of the same sessions. */
const DECIDED_BY: Partial<Record<TermName, TermName>> = {
  bounces: 'sessions',
  duration_ms: 'sessions',
  timed_sessions: 'sessions',
  engaged_ms: 'engaged_sessions',
  scroll_percent: 'scrolled_sessions',
}

async function listSessions(wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, subject, after, limit } = wanted
  const deciding = [...new Set(terms.map(term => DECIDED_BY[term] ?? term))]
  const sessions = await listCountedSessions(explained, { terms: deciding, subject, after, limit })
  return sessions.map(session =>
    listedRow(
      { at: session.startedAt, id: String(session.sessionNo) },
      {
        id: sessionIdOf(session),
        session_id: sessionIdOf(session),
        visitor_id: session.visitorId,
        values: valuesOf(terms, countsOf(session)),
      },
    ),
  )
}

const countsOf = (session: CountedSession): Partial<Record<TermName, bigint>> => {
  const { startedAt: _at, sessionNo: _no, visitorId: _visitor, ...counts } = session
  const all = { ...counts, timed_sessions: counts.sessions }
  return Object.fromEntries(Object.entries(all).map(([name, count]) => [name, BigInt(count)]))
}

async function listPayments(wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, seesPayments } = wanted
  const payments = await listCountedPayments(explained, paymentsFor(terms), wanted)
  return payments.map(payment =>
    listedRow(payment, {
      id: seesPayments ? payment.transactionId : null,
      customer: payment.customer,
      session_id: sessionOf(payment, wanted),
      values: valuesOf(terms, amountsOf(payment)),
    }),
  )
}

function paymentsFor(terms: readonly TermName[]): WantedPayments {
  if (terms.includes('new_customers')) return 'first'
  return terms.includes('recurring_revenue') ? 'recurring' : 'kept'
}

const amountsOf = ({ paid, isRecurring, isFirst, isKept }: CountedPayment) => ({
  revenue: BigInt(paid),
  recurring_revenue: isRecurring ? BigInt(paid) : 0n,
  payments: isKept ? 1n : 0n,
  paying_customers: isKept ? 1n : 0n,
  new_customers: isFirst ? 1n : 0n,
})

/** Names the session of money, if it still has details. */
function sessionOf(
  { sessionNo, sessionAt }: { sessionNo: number | null; sessionAt: Date | null },
  { detailsFrom }: Pick<Wanted, 'detailsFrom'>,
): string | null {
  if (sessionNo === null || sessionAt === null) return null
  return detailsFrom && sessionAt < detailsFrom ? null : sessionIdOf({ startedAt: sessionAt, sessionNo })
}

async function listSubscribed(unit: 'subscription' | 'customer', wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, span } = wanted
  const isOfStart = terms.length === 1 && terms[0]!.endsWith('_at_start')
  const until = isOfStart ? span.start : span.end
  const rows = await listSubscribedBefore(explained, unit, until, wanted)
  return rows.map(({ at, id, customer, amount }) => {
    const mrr = BigInt(amount)
    const active = mrr > 0n ? 1n : 0n
    const ofRow = isOfStart
      ? { mrr_at_start: mrr, customers_at_start: active }
      : { mrr, active_subscriptions: active, active_customers: active }
    return listedRow({ at, id }, { id, customer, values: valuesOf(terms, ofRow) })
  })
}

/** The change that a term counts or adds up. */
const CHANGE_OF: Partial<Record<TermName, ChangeKind>> = {
  new_mrr: 'new',
  expansion_mrr: 'expansion',
  contraction_mrr: 'contraction',
  churned_mrr: 'churn',
  reactivation_mrr: 'reactivation',
  started_customers: 'new',
  reactivated_customers: 'reactivation',
  churned_customers: 'churn',
}

async function listChanges(wanted: Wanted): Promise<Listed[]> {
  const { explained, terms, span } = wanted
  const kinds = terms.flatMap(term => CHANGE_OF[term] ?? [])
  const changes = await listCountedChanges(explained, span, kinds, wanted)
  return changes.map(({ at, id, kind, amount }) => {
    const ofKind = terms.filter(term => CHANGE_OF[term] === kind)
    const amounts = ofKind.map(term => [term, term.endsWith('_customers') ? 1n : BigInt(amount)])
    return listedRow(
      { at, id },
      { id, customer: id, kind, values: valuesOf(terms, Object.fromEntries(amounts)) },
    )
  })
}

/** Services that rows are read with. */
export type RowServices = StatsServices & {
  /** Whether the reader may see the list of payments, which has their ids. */
  seesPayments?: boolean | undefined
}
