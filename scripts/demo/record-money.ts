import { randomBytes } from 'node:crypto'
import type { SiteRecord } from '../../src/access/sites/site-schema.ts'
import { importPastEvents } from '../../src/money/import/past-events.ts'
import type { RecordPayment } from '../../src/money/money-schema.ts'
import { connectProcessor, findConnection } from '../../src/money/processor/connection.ts'
import { createPayment } from '../../src/money/site-payments.ts'
import { createLifecycleGoals } from '../../src/stats/goals/change-goal.ts'
import { showProgress } from '../progress.ts'
import type { SiteServices } from './site.ts'
import type { StripeEvent } from './stripe-events.ts'

/**
 * Connects the payment processor, imports its events as those of the past, and records the payments as their endpoint does. The webhook
 * secret is random: only this command can have signed an event.
 * @param say told of each tenth where there is no terminal
 */
export async function fillMoney(
  services: SiteServices,
  site: SiteRecord,
  { events, orders }: { events: readonly StripeEvent[]; orders: readonly RecordPayment[] },
  say: (step: string) => void,
): Promise<void> {
  const { db, config } = services
  await connectProcessor(
    services,
    site,
    {
      provider: 'stripe',
      webhook_secret: `whsec_${randomBytes(24).toString('hex')}`,
      api_key: undefined,
    },
    createLifecycleGoals,
  )
  const connection = (await findConnection(db, site.id, config.secretKey))!
  const progress = showProgress('recording money', say)
  // A payment by itself takes about as long as ten events that are imported together.
  const total = events.length + 10 * orders.length
  try {
    const options = { ...services, stripeApiBase: config.stripeApiBase }
    const texts = events.map(event => JSON.stringify(event))
    await importPastEvents(options, connection, texts, part =>
      progress.part((part * events.length) / total, 'subscriptions'),
    )
    for (const [index, order] of orders.entries()) {
      await createPayment({ ...services, sayExisting() {} }, site, order)
      progress.part((events.length + 10 * (index + 1)) / total, 'payments')
    }
  } finally {
    progress.end()
  }
}
