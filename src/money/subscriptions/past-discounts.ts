import type { Discount, Listed } from '../processor/objects.ts'
import type { Origin, PaidInvoice, PastDiscount } from '../processor/past-objects.ts'

/** A discount of the whole subscription, and when it applied. */
interface Applied {
  given: PastDiscount
  from: number
  until: number
}

interface PastDiscounts {
  times: number[]
  at(at: number): Listed[]
}

/**
 * Derives which discounts a subscription had when: those of its invoices at the start of their cycles, and those that it has now. A
 * discount that began or ended between two cycles has its own time. One that is gone without such a time ended when another began.
 */
export function discountsOf(
  origin: Origin,
  invoices: readonly PaidInvoice[],
  startAt: number,
): PastDiscounts {
  const applied: Applied[] = []
  let seenAt = startAt - 1
  /** @param at when these were seen; Infinity for those of now: only their own times count */
  function see(discounts: readonly PastDiscount[], at: number): void {
    const isKnown = (given: PastDiscount) => applied.some(each => isSame(given, each.given) && isOpen(each))
    const added = discounts
      .filter(given => !isKnown(given))
      .map(given => ({ given, from: within(given.startAt, seenAt, at), until: Number.POSITIVE_INFINITY }))
    const firstAdded = Math.min(at, ...added.map(({ from }) => from))
    for (const each of applied.filter(isOpen)) {
      const isGone = !discounts.some(given => isSame(given, each.given))
      if (isGone && (Number.isFinite(at) || isOwn(each.given.discount))) {
        each.until = within(each.given.endAt, seenAt, firstAdded)
      }
    }
    applied.push(...added.filter(({ from }) => Number.isFinite(from)))
  }
  for (const { at, discounts } of cyclesOf(invoices, startAt)) {
    see(discounts, at)
    seenAt = at
  }
  see(origin.discounts, Number.POSITIVE_INFINITY)
  return {
    times: applied.flatMap(({ from, until }) =>
      until === Number.POSITIVE_INFINITY ? [from] : [from, until],
    ),
    at: at =>
      inForce(
        applied.filter(({ from, until }) => from <= at && at < until).map(({ given }) => given.discount),
      ),
  }
}

/** A discount of the customer applies only without one of the subscription. */
function inForce(discounts: readonly Discount[]): Discount[] {
  const own = discounts.filter(isOwn)
  return own.length > 0 ? own : [...discounts]
}

/** Cycles in order, with the discounts of their invoices. The first one speaks for the start of the subscription. */
function cyclesOf(invoices: readonly PaidInvoice[], startAt: number) {
  const cycles = invoices.flatMap(({ past }) => {
    const starts = (past?.lines ?? []).filter(({ isProration }) => !isProration).map(({ at }) => at)
    return past && starts.length > 0 ? [{ at: Math.max(...starts), discounts: past.discounts }] : []
  })
  cycles.sort((a, b) => a.at - b.at)
  return cycles.map((cycle, index) => (index === 0 ? { ...cycle, at: startAt } : cycle))
}

const isOwn = ({ subscriptionId }: Discount) => subscriptionId !== null
const isOpen = ({ until }: Applied) => until === Number.POSITIVE_INFINITY

const within = (own: number | null, after: number, else_: number) =>
  own !== null && own > after && own < else_ ? own : else_

const isSame = (a: PastDiscount, b: PastDiscount) =>
  a.discount.id === b.discount.id && a.startAt === b.startAt
