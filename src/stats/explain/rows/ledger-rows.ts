import { query } from '../../../platform/db/query.ts'
import { countAsked } from '../../counts/count-filtered.ts'
import type { WantedPayments } from '../../counts/money-page.ts'
import { sessionIdOf } from '../../sessions/session-id.ts'
import type { TermName } from '../explanation.ts'
import { moneyPart } from '../money-terms.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'

/** Times and sessions of what counts, and where the page begins. */
interface PageOfKeys {
  siteNo: number
  currency: string
  times: Date[]
  /** 0 without a session. */
  sessionNos: number[]
  first: Date
  last: Date
  /** One time. */
  afterAt: Date[]
  afterId: string
  limit: number
}

/** Amounts are minor units as text. */
interface LedgerRow {
  at: Date
  id: string
  sessionNo: number | null
  sessionAt: Date | null
  amount: string
}

/** A payment, and what it counts as. */
interface Payment extends LedgerRow {
  transactionId: string | null
  customer: string | null
  isRecurring: boolean
  isFirst: boolean
  isKept: boolean
}

interface Movement extends LedgerRow {
  subscriptionId: string
  kind: string
}

const listCountedPayments = query<PageOfKeys & { wanted: string }, Payment>('list-counted-payments')
const listCountedMovements = query<PageOfKeys, Movement>('list-counted-movements')

/** Comes before the first page. */
const AFTER_ALL = new Date('9999-12-31T00:00:00Z')

/** Finds in columns what counts; what of it is on the page is decided by ids, which only the ledger has. */
async function findKeys(
  wanted: Wanted,
  which: WantedPayments | 'movements',
): Promise<PageOfKeys | undefined> {
  const { services, site, of, after, limit } = wanted
  const { siteNo, currency } = site
  const asked = { currency, wanted: which, until: after?.at, limit, ...of }
  const keys = await countAsked(services, moneyPart(wanted), 'moneyPage', asked)
  if (keys.length === 0) return undefined
  const times = keys.map(({ at }) => new Date(at))
  return {
    ...{ siteNo, currency, times, limit },
    sessionNos: keys.map(({ sessionNo }) => sessionNo),
    first: times.at(-1)!,
    last: times[0]!,
    afterAt: [after ? new Date(after.at) : AFTER_ALL],
    afterId: after?.id ?? '',
  }
}

/** Returns the payments that add to one of the terms. */
export async function listPayments(wanted: Wanted): Promise<Listed[]> {
  const { services, terms, seesPayments } = wanted
  const which = paymentsFor(terms)
  const keys = await findKeys(wanted, which)
  const rows = keys ? await listCountedPayments(services.reads, { ...keys, wanted: which }) : []
  return rows.map(payment =>
    listedRow(keyOf(payment), {
      id: seesPayments ? payment.transactionId : null,
      customer: payment.customer,
      session_id: sessionOf(payment, wanted),
      values: valuesOf(terms, amountsOf(payment)),
    }),
  )
}

const keyOf = ({ at, id }: LedgerRow) => ({ at: at.getTime(), id })

function paymentsFor(terms: readonly TermName[]): WantedPayments {
  if (terms.includes('new_customers')) return 'first'
  return terms.includes('recurring_revenue') ? 'recurring' : 'kept'
}

const amountsOf = ({ amount, isRecurring, isFirst, isKept }: Payment) => ({
  revenue: BigInt(amount),
  recurring_revenue: isRecurring ? BigInt(amount) : 0n,
  payments: isKept ? 1n : 0n,
  paying_customers: isKept ? 1n : 0n,
  new_customers: isFirst ? 1n : 0n,
})

/** Returns the movements of recurring revenue. */
export async function listMovements(wanted: Wanted): Promise<Listed[]> {
  const keys = await findKeys(wanted, 'movements')
  const rows = keys ? await listCountedMovements(wanted.services.reads, keys) : []
  return rows.map(movement =>
    listedRow(keyOf(movement), {
      id: movement.id,
      subscription_id: movement.subscriptionId,
      kind: movement.kind,
      session_id: sessionOf(movement, wanted),
      values: valuesOf(wanted.terms, { mrr_change: BigInt(movement.amount) }),
    }),
  )
}

/** Names the session of money, if it still has details. */
function sessionOf(
  { sessionNo, sessionAt }: LedgerRow,
  { detailsFrom }: Pick<Wanted, 'detailsFrom'>,
): string | null {
  if (sessionNo === null || sessionAt === null) return null
  return detailsFrom && sessionAt < detailsFrom ? null : sessionIdOf({ startedAt: sessionAt, sessionNo })
}
