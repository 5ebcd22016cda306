import { sessionIdOf } from '../../sessions/session-id.ts'
import type { TermName } from '../explanation.ts'
import { type Listed, listedRow, valuesOf, type Wanted } from './listed.ts'
import {
  type CountedPayment,
  listCountedMovements,
  listCountedPayments,
  type WantedPayments,
} from './money.ts'

export async function listPayments(wanted: Wanted): Promise<Listed[]> {
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

export async function listMovements(wanted: Wanted): Promise<Listed[]> {
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
}

/** Names the session of money, if it still has details. */
function sessionOf(
  { sessionNo, sessionAt }: { sessionNo: number | null; sessionAt: Date | null },
  { detailsFrom }: Pick<Wanted, 'detailsFrom'>,
): string | null {
  if (sessionNo === null || sessionAt === null) return null
  return detailsFrom && sessionAt < detailsFrom ? null : sessionIdOf({ startedAt: sessionAt, sessionNo })
}
