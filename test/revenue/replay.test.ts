// @module-tag full
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import {
  apiOfFile,
  coupon,
  deliver,
  discount,
  event,
  invoice,
  item,
  type Json,
  netMovements,
  openShop,
  price,
  type StripeEvent,
  subscription,
} from '../support/stripe.ts'

// A year of a shop as Stripe events. Its expected MRR is computed independently, without code of src/.

const SUBSCRIPTIONS = runs(40)
const DAY = 86_400
const START = Date.UTC(2025, 0, 1) / 1000
const YEAR = 365

const api = apiOfFile()
beforeAll(() => {
  api.services.config.limits.webhook = 0
})

/** Returns a repeatable sequence of random numbers from 0 to 1. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

interface Plan {
  price: Json
  /** MRR of one unit in minor units, as numerator and denominator. */
  monthly: [bigint, bigint]
}

const every = (interval: string, interval_count = 1) => ({ recurring: { interval, interval_count } })
const PLANS: Plan[] = [
  { price: price(900), monthly: [900n, 1n] },
  { price: price(2900), monthly: [2900n, 1n] },
  { price: price(8999, every('month', 3)), monthly: [8999n, 3n] },
  { price: price(29_900, every('year')), monthly: [29_900n, 12n] },
  { price: price(725, every('week')), monthly: [725n * 52n, 12n] },
  { price: price(33, every('day')), monthly: [33n * 365n, 12n] },
  { price: price(0, { unit_amount: null, unit_amount_decimal: '1250.125' }), monthly: [1_250_125n, 1000n] },
]
const COUPONS = [
  { coupon: coupon({ percent_off: 20 }), off: 20n },
  { coupon: coupon({ percent_off: 12.5 }), off: 12.5 },
  { coupon: coupon({ percent_off: 50, duration: 'repeating', duration_in_months: 3 }), off: 0 },
] as const

/** Rounds halves to even by comparing twice the remainder. */
function toMinor(numerator: bigint, denominator: bigint): number {
  const whole = numerator / denominator
  const twice = 2n * (numerator - whole * denominator)
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n)
  return Number(isUp ? whole + 1n : whole)
}

function mrrOf(plan: number, quantity: number, off: number | bigint): number {
  const [numerator, denominator] = PLANS[plan]!.monthly
  const perMille = BigInt(1000 - Number(off) * 10)
  return toMinor(numerator * BigInt(quantity) * perMille, denominator * 1000n)
}

interface Year {
  events: StripeEvent[]
  /** MRR of a subscription from a day of the year on. */
  changes: { day: number; id: string; mrr: number }[]
}

function tellYear(count: number): Year {
  const roll = dice(20_260_101)
  const below = (limit: number) => Math.floor(roll() * limit)
  const events: StripeEvent[] = []
  const changes: Year['changes'] = []
  for (let number = 0; number < count; number++) {
    const id = `sub_${number}`
    const customer = `cus_${number}`
    let plan = below(PLANS.length)
    let quantity = 1 + below(5)
    let given: { discount: Json; off: number | bigint } | undefined
    let status = roll() < 0.3 ? 'trialing' : roll() < 0.2 ? 'incomplete' : 'active'
    let day = below(YEAR - 20)
    let isEnding = false
    let told = 0
    const tell = (type: string) => {
      const items = [item(PLANS[plan]!.price, { id: `si_${number}`, quantity })]
      const discounts = given ? [given.discount] : []
      const of = { id, customer, status, cancel_at_period_end: isEnding, discounts, items }
      const object = subscription(of)
      const at = START + day * DAY + 60 * ++told
      events.push(event(`customer.subscription.${type}`, object, at, `evt_${number}_${told}`))
      const counts = status === 'active' || status === 'past_due'
      changes.push({ day, id, mrr: counts ? mrrOf(plan, quantity, given?.off ?? 0) : 0 })
    }
    tell('created')
    while (status !== 'canceled') {
      day += 5 + below(45)
      if (day >= YEAR) break
      if (status === 'trialing' || status === 'incomplete') status = roll() < 0.8 ? 'active' : 'canceled'
      else if (status === 'unpaid' || status === 'paused') status = roll() < 0.6 ? 'active' : 'canceled'
      else {
        const what = roll()
        if (what < 0.25) quantity = 1 + below(9)
        else if (what < 0.4) plan = below(PLANS.length)
        else if (what < 0.5) {
          const chosen = COUPONS[below(COUPONS.length)]!
          given = { discount: discount(chosen.coupon, { customer, subscription: id }), off: chosen.off }
        } else if (what < 0.55) given = undefined
        else if (what < 0.65) status = status === 'active' ? 'past_due' : 'active'
        else if (what < 0.7) status = 'unpaid'
        else if (what < 0.74) status = 'paused'
        else if (what < 0.8) isEnding = !isEnding
        else if (what < 0.86) status = 'canceled'
        else {
          const paidAt = START + day * DAY
          const cycle = { billing_reason: 'subscription_cycle', amount_paid: 900 }
          const paid = invoice({ id: `in_${number}_${day}`, subscription: id, customer, paidAt, ...cycle })
          events.push(event('invoice.paid', paid, paidAt, `evt_${number}_in_${day}`))
          continue
        }
      }
      tell(status === 'canceled' ? 'deleted' : 'updated')
    }
  }
  return { events, changes }
}

/** Shuffles the events within each day and repeats one in twenty. */
function asDelivered(events: StripeEvent[]): StripeEvent[] {
  const roll = dice(7)
  return events
    .flatMap(each => (roll() < 0.05 ? [each, each] : [each]))
    .map(each => ({ each, day: Math.floor((each.created - START) / DAY), rank: roll() }))
    .sort((a, b) => a.day - b.day || a.rank - b.rank)
    .map(({ each }) => each)
}

test('subscriptions: a year of events ends with the expected MRR', { timeout: 3_600_000 }, async () => {
  const shop = await openShop(api)
  const { events, changes } = tellYear(SUBSCRIPTIONS)
  const calls = asDelivered(events)
  for (let first = 0; first < calls.length; first += 8) {
    const answers = await Promise.all(calls.slice(first, first + 8).map(each => deliver(shop, each)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  }

  const brings = new Map<string, number>()
  const expected = new Map<string, number>()
  for (const { day, id, mrr } of [...changes].sort((a, b) => a.day - b.day)) {
    const date = new Date((START + day * DAY) * 1000).toISOString().slice(0, 10)
    expected.set(date, (expected.get(date) ?? 0) + mrr - (brings.get(id) ?? 0))
    brings.set(id, mrr)
  }
  const byDay = new Map<string, number>()
  for (const [key, sum] of Object.entries(await netMovements(shop)))
    byDay.set(key.slice(0, 10), (byDay.get(key.slice(0, 10)) ?? 0) + sum)
  const withoutZeros = (sums: Map<string, number>) =>
    Object.fromEntries([...sums].filter(([, sum]) => sum !== 0).sort())
  expect(withoutZeros(byDay)).toEqual(withoutZeros(expected))
  const end = [...brings.values()].reduce((sum, mrr) => sum + mrr, 0)
  expect(end).toBeGreaterThan(0)
  const [sums] = await api.services.db`
    select
      (select sum(amount_minor)::bigint from mrr_movements where site_no = ${shop.siteNo}) as ledger,
      (select sum(mrr_minor)::bigint from subscriptions where site_no = ${shop.siteNo}) as mrr`
  expect(sums).toEqual({ ledger: end, mrr: end })
})
