import type { Random } from '../random.ts'

export type Tier = 'starter' | 'team' | 'business'

/** What a subscription costs: cents of one seat in one interval, and the number of seats. */
export interface Terms {
  tier: Tier
  interval: 'month' | 'year'
  seats: number
}

/** Cents of a seat. A year costs a multiple of 12 cents, so that a month of it is a whole number, as the service counts it. */
const PRICES: Record<Tier, Record<Terms['interval'], number>> = {
  starter: { month: 1_900, year: 18_000 },
  team: { month: 2_900, year: 28_800 },
  business: { month: 14_900, year: 142_800 },
}

export const seatPrice = ({ tier, interval }: Terms): number => PRICES[tier][interval]
export const chargeOf = (terms: Terms): number => seatPrice(terms) * terms.seats
export const monthlyOf = (terms: Terms): number => chargeOf(terms) / (terms.interval === 'year' ? 12 : 1)

/** Returns the terms that a subscription begins with. */
export const termsOf = (random: Random, tier: Tier): Terms => ({
  tier,
  interval: random.chance(0.28) ? 'year' : 'month',
  seats: tier === 'team' ? random.between(1, 4) : 1,
})

/** Returns terms that cost more. */
export function larger(random: Random, terms: Terms): Terms {
  if (terms.tier === 'starter') return { ...terms, tier: 'team', seats: random.between(1, 3) }
  if (terms.tier === 'team' && terms.seats > 3 && random.chance(0.4))
    return { ...terms, tier: 'business', seats: 1 }
  return { ...terms, seats: terms.seats + 1 }
}

/** Returns terms that cost less; the same ones where there are none. */
export function smaller({ tier, interval, seats }: Terms): Terms {
  if (seats > 1) return { tier, interval, seats: seats - 1 }
  return { tier: tier === 'business' ? 'team' : 'starter', interval, seats }
}
