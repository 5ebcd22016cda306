import fc from 'fast-check'
import { type Account, type Life, openAccount } from '../../support/stripe-account.ts'

// Random lives of customers of a Stripe account.

const DAY = 86_400
const START = Date.UTC(2025, 0, 3, 8) / 1000
/** When the account is looked at. */
const UNTIL = START + 320 * DAY

const OTHERS = ['add', 'remove', 'discount', 'schedule', 'cancel', 'past_due', 'refund', 'buy'] as const
const Step = fc.record({
  gapDays: fc.integer({ min: 2, max: 40 }),
  what: fc.constantFrom('change', 'change', ...OTHERS),
  price: fc.nat(4),
  quantity: fc.integer({ min: 1, max: 5 }),
  coupon: fc.nat(2),
})

export const Lives = fc.array(
  fc.record({
    startDay: fc.nat(60),
    trialDays: fc.constantFrom(0, 0, 14),
    paidAfter: fc.constantFrom(0, 0, 7200),
    isFlexible: fc.boolean(),
    visitor: fc.option(fc.nat(1)),
    ofCustomer: fc.option(fc.nat(2)),
    ofSubscription: fc.option(fc.nat(2)),
    price: fc.nat(4),
    quantity: fc.integer({ min: 1, max: 5 }),
    steps: fc.array(Step, { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 3 },
)
type Lives = ReturnType<typeof Lives.generate>['value']

const VISITORS = ['0a8cbd2e-6a0b-4d0e-8c2b-2f1f5f8b7a01', '0a8cbd2e-6a0b-4d0e-8c2b-2f1f5f8b7a02']

let accounts = 0

/** Whether a life was billed since its last discount began: Stripe's API tells of a former discount in invoices alone. */
const isBilled = (account: Account, { object, discounts }: Life): boolean =>
  discounts.every(({ start }) =>
    account
      .lists()
      .invoices!.some(
        ({ created, parent }) => created >= start && parent.subscription_details.subscription === object.id,
      ),
  )

/** Lets customers live. Everything that happens is such that Stripe's API tells of it exactly. */
export function live(lives: Lives): Account {
  const account = openAccount(`A${++accounts}x`)
  const prices = [
    account.price(1000),
    account.price(2999),
    account.price(12_001, { recurring: { interval: 'year' } }),
    account.price(700, { recurring: { interval: 'week', interval_count: 2 } }),
    account.price(3000, { currency: 'usd', recurring: { interval: 'month', usage_type: 'metered' } }),
  ]
  const coupons = [
    account.coupon({ percent_off: 33 }),
    account.coupon({ amount_off: 250, currency: 'usd' }),
    account.coupon({ percent_off: 50, duration: 'once' }),
  ]
  for (const [index, given] of lives.entries()) {
    // Odd seconds: nothing happens at the same time as a cycle.
    let at = START + given.startDay * DAY + index * 61 + 7
    const metadata = given.visitor === null ? {} : { visitor_id: VISITORS[given.visitor] }
    const { id: customer } = account.customer(at - 60, {
      metadata,
      ...(given.ofCustomer !== null && { coupon: coupons[given.ofCustomer] }),
    })
    const life = account.subscribe(at, {
      customer,
      price: prices[given.price]!,
      quantity: given.quantity,
      trialDays: given.trialDays,
      paidAfter: given.paidAfter,
      isFlexible: given.isFlexible,
      ...(given.ofSubscription !== null && { coupon: coupons[given.ofSubscription] }),
    })
    for (const step of given.steps) {
      at += step.gapDays * DAY + 13
      if (at > UNTIL) break
      account.until(life, at)
      const { status } = life.object
      const isAlive = status === 'active' || status === 'past_due'
      const to = { price: prices[step.price]!, quantity: step.quantity }
      if (step.what === 'buy') account.buy(at, { customer, amount: 100 * step.quantity })
      else if (step.what === 'refund') {
        const own = account.charges.filter(charge => charge.customer === customer)
        if (own.length > 0) account.refund(own.at(-1)!.id, at, 300 * step.quantity)
      } else if (!isAlive) continue
      else if (step.what === 'change') account.change(life, at, 0, to)
      else if (step.what === 'add') account.change(life, at, life.items.size, to)
      else if (step.what === 'remove' && life.items.size > 1)
        account.change(life, at, 1, { ...to, quantity: 0 })
      else if (step.what === 'discount' && isBilled(account, life))
        account.discount(life, at, coupons[step.coupon]!)
      else if (step.what === 'schedule' && !life.object.cancel_at_period_end) account.schedule(life, at)
      else if (step.what === 'cancel') account.cancel(life, at)
      else if (step.what === 'past_due') account.status(life, at, status === 'active' ? 'past_due' : 'active')
    }
    account.until(life, UNTIL)
  }
  account.events.sort((a, b) => a.created - b.created)
  return account
}
