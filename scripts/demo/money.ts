import { randomBytes } from 'node:crypto'
import { createPayment } from '../../src/revenue/payments.ts'
import { connectProcessor, findConnection } from '../../src/revenue/processor/connection.ts'
import { receiveEvent } from '../../src/revenue/receive-event.ts'
import type { RecordPayment } from '../../src/revenue/schema.ts'
import type { SiteRecord } from '../../src/sites/schema.ts'
import { showProgress } from '../progress.ts'
import type { SiteServices } from './site.ts'
import type { StripeEvent } from './stripe-events.ts'

/**
 * Connects the payment processor, and applies its events and the payments as their endpoints do. The webhook secret is random: only
 * this command can have signed an event.
 * @param say told of each tenth where there is no terminal
 */
export async function fillMoney(
  services: SiteServices,
  site: SiteRecord,
  { events, orders }: { events: readonly StripeEvent[]; orders: readonly RecordPayment[] },
  say: (step: string) => void,
): Promise<void> {
  const { db, config } = services
  await connectProcessor(services, site, {
    provider: 'stripe',
    webhook_secret: `whsec_${randomBytes(24).toString('hex')}`,
    api_key: undefined,
  })
  const connection = (await findConnection(db, site.id, config.secretKey))!
  const options = { ...services, stripeApiBase: config.stripeApiBase }
  const progress = showProgress('recording money', say)
  const total = events.length + orders.length
  try {
    for (const [index, event] of events.entries()) {
      await receiveEvent(options, connection, JSON.stringify(event))
      progress.part((index + 1) / total, 'subscriptions')
    }
    for (const [index, order] of orders.entries()) {
      await createPayment({ ...services, sayExisting() {} }, site, order)
      progress.part((events.length + index + 1) / total, 'payments')
    }
  } finally {
    progress.end()
  }
}
