import type { RecordPayment } from '../../src/money/money-schema.ts'
import { createRandom } from '../random.ts'
import { customersBefore, customersOf } from './customers.ts'
import type { Lines } from './lines.ts'
import { ordersOf } from './orders.ts'
import { createPeople } from './people.ts'
import { type Calendar, calendarOf } from './rhythm.ts'
import { type StripeEvent, stripeEvents } from './stripe-events.ts'
import { mrrOf } from './subscription.ts'
import { trafficOf } from './traffic.ts'

/** Everything that happens on the site and to its money. */
export interface Story {
  calendar: Calendar
  lines: Lines
  events: StripeEvent[]
  orders: RecordPayment[]
  /** Number of payments, those of the orders included. Some of them were wholly refunded. */
  payments: number
  wholeRefunds: number
  /** Customers who pay now, and their MRR; cents. */
  subscribed: number
  mrr: number
}

/** Makes up a story. The same options make the same one. @param options.now Unix milliseconds */
export function storyOf(options: { seed: number; now: number; days: number; hostname: string }): Story {
  const { seed, now, days, hostname } = options
  const random = createRandom(seed)
  const newPerson = createPeople(random)
  const calendar = calendarOf(now, days)
  const before = customersBefore(random, newPerson, { from: calendar.days[0]!, now, days })
  const regulars = before.flatMap(({ person, visitorId }) => (visitorId ? { person, visitorId } : []))
  const { lines, signups } = trafficOf({ random, calendar, hostname, regulars, newPerson })
  const customers = [...before, ...customersOf(random, signups, now)]
  const subscriptions = customers.map(customer => customer.subscriptions)
  const mrrs = subscriptions.map(all => all.reduce((sum, each) => sum + mrrOf(each), 0))
  const invoices = subscriptions.flat().flatMap(each => each.invoices)
  const orders = ordersOf(random, customers, now)
  return {
    calendar,
    lines,
    events: stripeEvents(customers),
    orders,
    payments: orders.length + invoices.length,
    wholeRefunds: invoices.filter(({ cents, refund }) => refund?.cents === cents).length,
    subscribed: mrrs.filter(mrr => mrr > 0).length,
    mrr: mrrs.reduce((sum, mrr) => sum + mrr, 0),
  }
}
