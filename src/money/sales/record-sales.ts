import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { NewPayment, PaymentRecord } from '../ledger/payment.ts'
import { findPayments } from '../ledger/record-payment.ts'
import { recordPayments } from '../ledger/record-payments.ts'
import { type AnyFact, loadFactsOfSales } from '../processor/facts.ts'
import { namedVisitors } from '../subscriptions/load-histories.ts'
import { isSame, planPayment, reconcilePayments } from './reconcile-payments.ts'
import { refundsIn, spreadRefunds } from './refunds.ts'
import { firstNamed, MOST_IDS, MOST_STEPS, partsOf, type SalePart, transfersIn } from './sale.ts'

const selectRenewals = query<{ siteNo: number; subscriptionIds: string[] }, { key: string }>(
  'select-renewals',
  `select key
  from lifecycle_events
  where
    site_no = :siteNo and subscription_id = any(:subscriptionIds::text[]) and name = 'subscription_renewed'`,
)

interface WholeSale {
  ids: string[]
  facts: AnyFact[]
  parts: SalePart[]
}

/**
 * Records the payments of many sales with a few statements for all, under the lock of the ledger. A sale without a payment is written at once,
 * one whose payment is right is only compared, and the others are recorded as an event of them is.
 * @param ids one or more ids of each sale
 */
export async function recordSales(tx: Transaction, siteNo: number, ids: readonly string[]): Promise<void> {
  const sales = salesOf(await loadAllFacts(tx, siteNo, ids))
  const recorded = await findPayments(tx, { siteNo, ids: sales.flatMap(sale => sale.ids) })
  const byId = new Map<string, PaymentRecord>()
  for (const payment of recorded)
    for (const id of [payment.transactionId, ...payment.aliases]) byId.set(id, payment)
  const plan = await planner(tx, siteNo, sales)
  const fresh: NewPayment[] = []
  const others: WholeSale[] = []
  for (const sale of sales) {
    const wanted = sale.ids.length > MOST_IDS ? undefined : plan(sale)
    const own = new Set(sale.ids.flatMap(id => byId.get(id) ?? []))
    if (wanted && own.size === 0) fresh.push(...wanted)
    else if (!wanted || !isRecorded(wanted, [...own])) others.push(sale)
  }
  await recordPayments(tx, siteNo, fresh)
  for (const { parts, ids: own } of others) {
    const payable = parts.filter(part => part.payable)
    for (const part of payable) await reconcilePayments(tx, { siteNo }, part.ids, part.ids[0]!)
    if (payable.length === 0) await reconcilePayments(tx, { siteNo }, own)
  }
}

/** Loads the facts of all sales together, step by step as `loadSale` does. */
async function loadAllFacts(tx: Transaction, siteNo: number, ids: readonly string[]): Promise<AnyFact[]> {
  const known = new Set<string>()
  const facts = new Map<string, AnyFact>()
  let next = [...new Set(ids)]
  for (let step = 0; next.length > 0 && step < MOST_STEPS; step++) {
    for (const id of next) known.add(id)
    const found = await loadFactsOfSales(tx, { siteNo, ids: next })
    for (const fact of found) facts.set(`${fact.eventId}/${fact.kind}/${fact.objectId}`, fact)
    next = [...new Set(found.flatMap(({ saleIds }) => saleIds))].filter(id => !known.has(id))
  }
  return [...facts.values()]
}

/** Groups facts by the sale that their ids link them to. */
function salesOf(facts: readonly AnyFact[]): WholeSale[] {
  const groups = new Map<string, { ids: Set<string>; facts: AnyFact[] }>()
  for (const fact of facts) {
    const met = new Set(fact.saleIds.flatMap(id => groups.get(id) ?? []))
    const [into = { ids: new Set<string>(), facts: [] as AnyFact[] }, ...joined] = met
    for (const group of joined) {
      for (const id of group.ids) into.ids.add(id)
      into.facts.push(...group.facts)
    }
    for (const id of fact.saleIds) into.ids.add(id)
    into.facts.push(fact)
    for (const id of joined.length > 0 ? into.ids : fact.saleIds) groups.set(id, into)
  }
  return [...new Set(groups.values())].map(group => {
    const sale = { ids: [...group.ids].sort(), facts: group.facts }
    return { ...sale, parts: partsOf(sale) }
  })
}

/** @returns a function that gives the payments of a sale with their refunds */
async function planner(tx: Transaction, siteNo: number, sales: readonly WholeSale[]) {
  const facts = sales.flatMap(({ parts }) => parts.flatMap(({ payable }) => payable?.fact ?? []))
  const subscriptionIds = [...new Set(facts.flatMap(({ subscriptionId }) => subscriptionId ?? []))]
  const renewals = new Set((await selectRenewals(tx, { siteNo, subscriptionIds })).map(({ key }) => key))
  const visitorOf = await namedVisitors(tx, siteNo, facts)
  return ({ ids, facts, parts }: WholeSale): NewPayment[] => {
    const planned = parts.map(part => {
      const { payable } = part
      if (!payable) return { ids: part.ids, payments: [] }
      const visitorId = firstNamed(part.facts) ?? visitorOf(payable.fact)
      return {
        ids: part.ids,
        payments: [planPayment(part, payable, visitorId, renewals.has(payable.fact.objectId))],
      }
    })
    const refunds = refundsIn(facts)
    const refunded = spreadRefunds(planned, transfersIn({ ids, facts }), refunds)
    return planned
      .flatMap(({ payments }) => payments)
      .map(payment => ({ ...payment, refundedMinor: refunded.get(payment.transactionId) ?? 0 }))
  }
}

/** Whether exactly these payments are recorded, under all their ids. */
function isRecorded(wanted: readonly NewPayment[], recorded: readonly PaymentRecord[]): boolean {
  if (wanted.length !== recorded.length) return false
  return wanted.every(payment => {
    const known = recorded.find(({ transactionId }) => transactionId === payment.transactionId)
    return (
      known?.source === 'processor' &&
      isSame(known, payment) &&
      known.refundedMinor === payment.refundedMinor &&
      payment.aliases?.every(id => known.aliases.includes(id))
    )
  })
}
