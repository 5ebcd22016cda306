import type { RecordPayment } from '../../src/money/money-schema.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'
import type { Customer } from './customers.ts'

const WORKSHOP_CENTS = 29_900
/** Share of the customers who buy a workshop. */
const BUYERS = 0.12

/** Returns payments for workshops, which are no subscription: the server of the product sends them. */
export function ordersOf(random: Random, customers: readonly Customer[], now: number): RecordPayment[] {
  return customers.flatMap(({ person, visitorId, subscriptions }, index) => {
    const at = subscriptions[0]!.steps[0]!.at + random.between(2, 20) * DAY_MS
    if (!random.chance(BUYERS) || at > now) return []
    return {
      transaction_id: `workshop-${index + 1}`,
      amount: WORKSHOP_CENTS,
      currency: 'USD',
      customer_id: `cus_demo_${index + 1}`,
      visitor_id: visitorId ?? undefined,
      session_id: undefined,
      email: person.email,
      name: person.name,
      timestamp: new Date(at).toISOString(),
      ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
    }
  })
}
