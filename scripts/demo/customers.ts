import { DAY_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'
import type { Person } from './people.ts'
import type { Tier } from './plans.ts'
import { type Begin, type Subscription, subscribe } from './subscription.ts'
import type { Signup } from './traffic.ts'

const YEAR = 365
/** Customers who came before the visits: for each day of visits, and at most for each day of the rest of the year. */
const BEFORE_A_DAY = 0.65
const BEFORE_A_REST_DAY = 0.33
/** Share of former customers who subscribe again, and after how many days. */
const COMES_BACK = 0.35
const AWAY_DAYS = [18, 70] as const

export interface Customer {
  person: Person
  /** Visitor whom the payment processor knows; null for customers who never came back to the site. */
  visitorId: string | null
  /** More than one when the customer came back. */
  subscriptions: Subscription[]
}

/**
 * Makes up the customers who subscribed in the year before the visits begin, more and more of them.
 * @param from the first moment of the visits
 * @param days number of days of visits
 */
export function customersBefore(
  random: Random,
  newPerson: () => Person,
  { from, now, days }: { from: number; now: number; days: number },
): Customer[] {
  const rest = Math.max(0, YEAR - days)
  const count = Math.round(Math.min(days * BEFORE_A_DAY, rest * BEFORE_A_REST_DAY))
  return Array.from({ length: count }, () => {
    const at = from - Math.ceil(random.next() ** 1.6 * rest * DAY_MS)
    const tier: Tier = random.weigh([
      ['starter', 5],
      ['team', 4],
      ['business', 1],
    ])
    const begin = { at, tier, hasTrial: random.chance(0.3), pays: random.chance(0.85) }
    const subscriptions = subscriptionsOf(random, begin, now)
    const isLost = subscriptions.at(-1)!.steps.some(step => step.status === 'canceled' && step.at < from)
    const visitorId = !isLost && random.chance(0.7) ? random.uuid() : null
    return { person: newPerson(), visitorId, subscriptions }
  })
}

/** Makes up what those subscribed to who signed up during the visits; the others are no customers. */
export function customersOf(random: Random, signups: readonly Signup[], now: number): Customer[] {
  return signups
    .filter(({ pays, hasTrial }) => pays || (hasTrial && random.chance(0.25)))
    .map(({ person, visitorId, at, ...begin }) => {
      // The card is asked for a few seconds after the account.
      const paidAt = Math.min(at + random.between(10, 90) * 1_000, now)
      return { person, visitorId, subscriptions: subscriptionsOf(random, { ...begin, at: paidAt }, now) }
    })
}

function subscriptionsOf(random: Random, begin: Begin, now: number): Subscription[] {
  const first = subscribe(random, begin, now)
  const end = first.steps.at(-1)!
  const again = end.at + random.between(...AWAY_DAYS) * DAY_MS
  const isBack =
    end.status === 'canceled' && first.invoices.length > 0 && again < now && random.chance(COMES_BACK)
  if (!isBack) return [first]
  return [first, subscribe(random, { at: again, tier: end.terms.tier, hasTrial: false, pays: true }, now)]
}
