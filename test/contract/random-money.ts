import { expect } from 'vitest'
import { randomFrom } from '../support/random-values.ts'
import { event, invoice, item, price, subscription } from '../support/stripe.ts'
import type { Revenue } from './revenue-shop.ts'
import { ADA, BEN, CAI, hit, type StatsSite } from './stats-site.ts'

const VISITORS = [ADA, BEN, CAI]
const FROM = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000

/** Payments and subscriptions in two currencies, refunds, deletions and visits of three visitors, in any order. */
export async function randomMoney(
  revenue: Pick<Revenue, 'pay' | 'call' | 'deliverAll' | 'store'>,
  site: StatsSite,
  seed: number,
) {
  const random = randomFrom(seed)
  const time = () => new Date(FROM + random.int(70) * DAY_MS + random.int(DAY_MS)).toISOString()
  const someVisitor = () => (random.chance(0.7) ? { visitor_id: random.pick(VISITORS) } : {})
  const paid: string[] = []
  const steps: (() => Promise<unknown>)[] = [
    async () => {
      const transaction_id = `t_${seed}_${random.int(1e9)}`
      const customer = random.pick([
        { customer_id: random.pick(['cus_1', 'cus_2']) },
        { email: random.pick(['a@example.com', 'B@example.com']), name: random.pick(['Ann', 'Bea']) },
        {},
      ])
      const made = await revenue.pay(site, {
        ...{ transaction_id, timestamp: time(), amount: 100 * (1 + random.int(9)), ...customer },
        ...{ refunded: random.chance(0.2), ...someVisitor() },
      })
      expect(made.status).toBe(201)
      paid.push(transaction_id)
    },
    async () => {
      if (paid.length === 0 || random.chance(0.6)) return
      const [transaction_id] = paid.splice(random.int(paid.length), 1)
      const gone = await revenue.call('DELETE', `${site.path}/payments`, { transaction_id })
      expect(gone.status).toBe(200)
    },
    async () => {
      const number = random.int(4)
      const at = FROM / 1000 + random.int(70 * 86_400)
      const currency = random.pick(['usd', 'usd', 'eur'])
      const object = subscription({
        ...{ currency, id: `sub_${seed}_${number}`, customer: random.pick(['cus_1', 'cus_2', 'cus_3']) },
        status: random.pick(['active', 'active', 'past_due', 'canceled', 'trialing']),
        items: [item(price(random.pick([0, 1000, 2000]), { currency }), { id: `si_${number}` })],
        metadata: someVisitor(),
      })
      await revenue.deliverAll(site, [
        event('customer.subscription.updated', object, at, `evt_${seed}_${random.int(1e9)}`),
      ])
    },
    () => {
      const object = invoice({
        ...{ currency: random.pick(['usd', 'eur']), customer: random.pick(['cus_1', 'cus_2']) },
        ...{ paidAt: FROM / 1000 + random.int(70 * 86_400), metadata: someVisitor() },
      })
      return revenue.deliverAll(site, [event('invoice.paid', object, object.created)])
    },
    () =>
      revenue.store([
        hit(
          site,
          time(),
          { visitorId: random.pick(VISITORS), url: random.pick(['/a', '/b']) },
          { source: random.pick(['Google', 'Bing']), country: random.pick(['DE', '']) },
        ),
      ]),
  ]
  for (let step = 0; step < 60; step++) await random.pick(steps)()
}
