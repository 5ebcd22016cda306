import { isOfFile } from '../processor/event.ts'
import type { AnyFact } from '../processor/facts.ts'
import { isInvoice, isPaidBy, type Transfer } from './sale.ts'

/** State of a charge in one event. */
export interface ChargeSeen {
  chargeId: string
  /** Unix milliseconds of the event. */
  at: number
  /** Total that the charge has refunded, minor units. */
  refundedMinor: number
}

/** State of a refund in one event. */
export interface RefundSeen {
  refundId: string
  /** Id of the charge, or of the payment intent when the charge is unknown. */
  chargeId: string
  at: number
  /** Time of the refund request, Unix milliseconds. */
  createdAt: number
  amountMinor: number
  /** Stripe's status: `pending`, `requires_action`, `succeeded`, `failed`, `canceled`. */
  status: string | null
}

/**
 * What was refunded of a sale, minor units. The processor and a file may report the same refunds: what both say of one payment is not
 * added up.
 */
export interface Refunds {
  /** By charge, or by payment intent where the charge is unknown: what the processor says. */
  byCharge: ReadonlyMap<string, number>
  /** By the id that a payment has in files. */
  byPayment: ReadonlyMap<string, number>
}

/** Returns how much was refunded of a sale according to all facts. */
export function refundsIn(facts: readonly AnyFact[]): Refunds {
  const reported = facts.filter(fact => !isOfFile(fact))
  return {
    byCharge: inCurrencyOfPrice(
      withLost(
        refundedIn(reported, refund => chargeOf(refund, reported)),
        reported,
      ),
      reported,
    ),
    byPayment: refundedIn(facts.filter(isOfFile), ({ body }) => body.chargeId),
  }
}

/** Adds what was disputed with success: the newest event of a dispute decides. */
function withLost(refunded: Map<string, number>, facts: readonly AnyFact[]): Map<string, number> {
  const disputes = facts.flatMap(({ kind, objectId: disputeId, at, body }) =>
    kind === 'dispute' ? [{ ...body, disputeId, at: at.getTime() }] : [],
  )
  for (const { chargeId, amountMinor, isLost } of newest(
    disputes,
    each => each.disputeId,
    each => Number(each.isLost),
  )) {
    if (isLost) refunded.set(chargeId, (refunded.get(chargeId) ?? 0) + amountMinor)
  }
  return refunded
}

/** Converts what was refunded in the currency that a customer was charged in, where Stripe converted the price to it. */
function inCurrencyOfPrice(refunded: Map<string, number>, facts: readonly AnyFact[]): Map<string, number> {
  const converted = facts.flatMap(({ kind, body }) => (kind === 'checkout' && body?.presented ? [body] : []))
  if (converted.length === 0) return refunded
  const currencies = new Map<string, string | undefined>()
  for (const { kind, objectId, body } of facts) {
    if (kind === 'charge') currencies.set(objectId, body.currency)
    else if (kind === 'refund' || kind === 'dispute') currencies.set(body.chargeId, body.currency)
  }
  for (const [chargeId, amount] of refunded) {
    const paid = converted.find(({ presented }) => presented!.currency === currencies.get(chargeId))
    if (paid) refunded.set(chargeId, Math.round(amount * (paid.amountMinor / paid.presented!.amountMinor)))
  }
  return refunded
}

/** Whether anything was refunded at all. */
export const isAnyRefunded = ({ byCharge, byPayment }: Refunds): boolean =>
  [...byCharge.values(), ...byPayment.values()].some(amount => amount > 0)

function refundedIn(
  facts: readonly AnyFact[],
  chargeIdOf: (refund: RefundFact) => string,
): Map<string, number> {
  const charges: ChargeSeen[] = []
  const refunds: RefundSeen[] = []
  for (const fact of facts) {
    const at = fact.at.getTime()
    if (fact.kind === 'charge') {
      charges.push({ chargeId: fact.objectId, at, refundedMinor: fact.body.refundedMinor })
    } else if (fact.kind === 'refund') {
      const createdAt = fact.body.createdAt ?? at
      refunds.push({ ...fact.body, chargeId: chargeIdOf(fact), refundId: fact.objectId, at, createdAt })
    }
  }
  return refundedOf(charges, refunds)
}

/**
 * Returns the charge of a refund. For a refund that names only its payment intent, this is the first unique answer of:
 * the charge in another fact of the same refund, the known charge of the intent, the charge of the intent that has refunds.
 * Without a unique answer it is the intent itself.
 */
function chargeOf(refund: RefundFact, facts: readonly AnyFact[]): string {
  const named = refund.body.chargeId
  if (!isIntent(named)) return named
  const ofIntent = facts.filter(({ saleIds }) => saleIds.includes(named))
  const ofRefunds = ofIntent.filter(fact => fact.kind === 'refund')
  const ofCharges = ofIntent.filter(fact => fact.kind === 'charge')
  const idsOf = (refunds: RefundFact[]) =>
    refunds.map(({ body }) => body.chargeId).filter(id => !isIntent(id))
  const ways = [
    idsOf(ofRefunds.filter(({ objectId }) => objectId === refund.objectId)),
    [...ofCharges.map(({ objectId }) => objectId), ...idsOf(ofRefunds)],
    [
      ...ofCharges.filter(({ body }) => body.refundedMinor > 0).map(({ objectId }) => objectId),
      ...idsOf(ofRefunds),
    ],
  ]
  const only = ways.map(ids => new Set(ids)).find(ids => ids.size === 1)
  return only ? [...only][0]! : named
}

type RefundFact = Extract<AnyFact, { kind: 'refund' }>

const isIntent = (id: string) => id.startsWith('pi_')
const isGone = ({ status }: RefundSeen) => status === 'failed' || status === 'canceled'
const progress = (refund: RefundSeen) => (isGone(refund) ? 2 : refund.status === 'succeeded' ? 1 : 0)

/**
 * Returns how much each charge has refunded, independent of the order in which events arrived. The newest event of a charge
 * has the total at that time; refunds requested after it are added, and refunds that failed after it are subtracted.
 * A refund counts from its request until it fails, as in Stripe's own total.
 * @returns minor units by charge
 */
export function refundedOf(
  charges: readonly ChargeSeen[],
  refunds: readonly RefundSeen[],
): Map<string, number> {
  const newestCharges = newest(
    charges,
    charge => charge.chargeId,
    charge => charge.refundedMinor,
  )
  const newestRefunds = newest(refunds, refund => refund.refundId, progress)
  const chargeIds = new Set([...newestCharges, ...newestRefunds].map(({ chargeId }) => chargeId))
  const refunded = new Map<string, number>()
  for (const chargeId of chargeIds) {
    const charge = newestCharges.find(each => each.chargeId === chargeId)
    const own = newestRefunds.filter(each => each.chargeId === chargeId)
    const alive = sum(own.filter(each => !isGone(each)))
    if (!charge) {
      refunded.set(chargeId, alive)
      continue
    }
    const begun = sum(own.filter(each => !isGone(each) && each.createdAt > charge.at))
    const failed = sum(own.filter(each => isGone(each) && each.createdAt <= charge.at && each.at > charge.at))
    refunded.set(chargeId, Math.max(charge.refundedMinor + begun - failed, alive))
  }
  return refunded
}

const sum = (refunds: readonly { amountMinor: number }[]) =>
  refunds.reduce((all, { amountMinor }) => all + amountMinor, 0)

/** Returns the latest state of each object; among states of the same second, the one with the highest rank. */
function newest<Seen extends { at: number }>(
  all: readonly Seen[],
  idOf: (seen: Seen) => string,
  rank: (seen: Seen) => number,
): Seen[] {
  const latest = new Map<string, Seen>()
  for (const seen of all) {
    const known = latest.get(idOf(seen))
    if (!known || seen.at > known.at || (seen.at === known.at && rank(seen) > rank(known))) {
      latest.set(idOf(seen), seen)
    }
  }
  return [...latest.values()]
}

/** Fields of a payment that refunds need; amounts are minor units. */
interface RefundablePayment {
  transactionId: string
  amountMinor: number
}

/**
 * Distributes refunds over payments. The refunds of a transfer go to the payment that was recorded under one of the transfer's
 * ids, if there is one, then to the parts that the transfer paid, the oldest first, each up to its amount. If several
 * payments were sent for one part, only one of them gets the refund. What files say of the payments of a transfer counts where it is
 * more than the processor says. An invoice is no transfer: its refund in a file is that of its own payment.
 * @param parts the oldest first, each with its ids and its payments
 * @returns minor units by transaction id, without payments that have no refund
 */
export function spreadRefunds(
  parts: readonly { ids: readonly string[]; payments: readonly RefundablePayment[] }[],
  transfers: readonly Transfer[],
  { byCharge, byPayment }: Refunds,
): Map<string, number> {
  const refunded = new Map<string, number>()
  /** @returns the rest of the amount */
  const applyTo = ({ transactionId, amountMinor }: RefundablePayment, amount: number) => {
    const before = refunded.get(transactionId) ?? 0
    const applied = Math.min(amount, amountMinor - before)
    if (applied > 0) refunded.set(transactionId, before + applied)
    return amount - applied
  }
  const given = transfers.map(transfer => {
    const paid = parts.filter(({ ids }) => isPaidBy(ids[0]!, transfer))
    const amount = Math.max(totalOf(byCharge, transfer.ids), totalOf(byPayment, transfer.ids))
    return { transfer, paid: paid.length > 0 ? paid : parts.slice(0, 1), amount }
  })
  // Transfers that paid few parts go first: otherwise other transfers could use up the amounts of those parts.
  for (const { transfer, paid, amount } of given.sort((a, b) => a.paid.length - b.paid.length)) {
    const named = parts.find(({ payments }) => payments.some(isNamedBy(transfer)))
    let left = amount
    if (named) left = applyTo(named.payments.find(isNamedBy(transfer))!, left)
    for (const part of paid) {
      const payment = part.payments[0]
      if (part !== named && payment) left = applyTo(payment, left)
    }
  }
  for (const { ids, payments } of parts) {
    const named = payments.find(({ transactionId }) => byPayment.has(transactionId)) ?? payments[0]
    const said = totalOf(byPayment, ids.filter(isInvoice))
    const applied = totalOf(
      refunded,
      payments.map(({ transactionId }) => transactionId),
    )
    if (named && said > applied) applyTo(named, said - applied)
  }
  return refunded
}

/** Sum of what the ids have. */
const totalOf = (amounts: ReadonlyMap<string, number>, ids: Iterable<string>) =>
  [...ids].reduce((sum, id) => sum + (amounts.get(id) ?? 0), 0)

const isNamedBy =
  ({ ids }: Transfer) =>
  ({ transactionId }: RefundablePayment) =>
    ids.has(transactionId)
