import type { Listed } from '../processor/objects.ts'
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
 * discount that began or ended between two cycles has its own time.
 */
export function discountsOf(
  origin: Origin,
  invoices: readonly PaidInvoice[],
  startAt: number,
): PastDiscounts {
  const applied: Applied[] = []
  let seenAt = startAt
  for (const { at, discounts } of cyclesOf(invoices, startAt)) {
    for (const each of applied) {
      if (each.until === Number.POSITIVE_INFINITY && !discounts.some(given => isSame(given, each.given))) {
        each.until = within(each.given.endAt, seenAt, at)
      }
    }
    for (const given of discounts) {
      if (!applied.some(each => isSame(given, each.given) && each.until === Number.POSITIVE_INFINITY)) {
        applied.push({ given, from: within(given.startAt, seenAt, at), until: Number.POSITIVE_INFINITY })
      }
    }
    seenAt = at
  }
  for (const given of origin.discounts) {
    if (applied.some(each => isSame(given, each.given))) continue
    const from = given.startAt ?? seenAt
    if (from >= seenAt) applied.push({ given, from, until: Number.POSITIVE_INFINITY })
  }
  return {
    times: applied.flatMap(({ from, until }) =>
      until === Number.POSITIVE_INFINITY ? [from] : [from, until],
    ),
    at: at =>
      applied.filter(({ from, until }) => from <= at && at < until).map(({ given }) => given.discount),
  }
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

const within = (own: number | null, after: number, else_: number) =>
  own !== null && own > after && own < else_ ? own : else_

const isSame = (a: PastDiscount, b: PastDiscount) =>
  a.discount.id === b.discount.id && a.startAt === b.startAt
