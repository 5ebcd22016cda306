import { validate as isUuid } from 'uuid'
import type { Audit } from '../../../access/audit/audit.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import { query } from '../../../platform/db/query.ts'
import { invalidField } from '../../../platform/errors.ts'
import type { Services } from '../../../platform/services.ts'
import { findEndpoint } from './endpoints.ts'
import { findDelivery, noSuchDelivery, presentDelivery } from './log-rows.ts'
import { MOST_WAITING, RETRY_MS } from './webhook-limits.ts'
import type { Delivery } from './webhook-schema.ts'

/** Makes a delivery due now, for another three days. */
const reviveDelivery = query<{ id: string; now: Date; retryUntil: Date }, { id: string }>(
  'revive-webhook-delivery',
  `update webhook_deliveries
  set state = 'pending', next_at = :now, retry_until = :retryUntil, finished_at = null
  where id = :id
  returning id`,
)

const insertTest = query<
  { siteNo: number; endpointId: string; now: Date; data: string },
  { id: string; eventNo: number }
>(
  'insert-test-event',
  `insert into outgoing_events (site_no, type, key, occurred_at, created_at, data, endpoint_ids, is_spread)
  values (
    :siteNo, 'test', 'test/' || gen_random_uuid(), :now::timestamptz, :now::timestamptz, :data, array[:endpointId::uuid], true
  )
  returning id, event_no as "eventNo"`,
)

const insertDelivery = query<
  { siteNo: number; endpointId: string; eventId: string; eventNo: number; now: Date; retryUntil: Date },
  { id: string }
>(
  'insert-webhook-delivery',
  `insert into webhook_deliveries (site_no, endpoint_id, event_id, event_no, created_at, retry_until, next_at)
  values (:siteNo, :endpointId, :eventId, :eventNo, :now::timestamptz, :retryUntil, :now::timestamptz)
  returning id`,
)

type Parts = Pick<Services, 'db' | 'now'>
type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'domain'>

/**
 * Sends a delivery again, whatever became of it: at once, and with the same event id.
 * @throws AppError `not_found`; `validation_failed` when the endpoint is off or its queue is full
 */
export async function redeliver(
  services: Parts & { audit: Audit },
  site: Site,
  webhook: string,
  id: string,
): Promise<Delivery> {
  const { db, now, audit } = services
  const endpoint = await requireReady(services, site, webhook)
  if (!isUuid(id)) throw noSuchDelivery()
  await db.begin(async transaction => {
    const [found] = await findDelivery(transaction, { endpointId: endpoint.id, id })
    if (!found) throw noSuchDelivery()
    const at = now()
    await reviveDelivery(transaction, { id, now: at, retryUntil: new Date(at.getTime() + RETRY_MS) })
    await audit(transaction, {
      action: 'webhook.redeliver',
      object: { type: 'webhook', id: endpoint.id },
      details: { name: endpoint.name, event_id: found.eventId, domain: site.domain },
    })
  })
  const [row] = await findDelivery(db, { endpointId: endpoint.id, id })
  if (!row) throw noSuchDelivery()
  return presentDelivery(row)
}

/**
 * Queues a message of the type `test` for an endpoint.
 * @throws AppError `not_found`; `validation_failed` when the endpoint is off or its queue is full
 */
export async function sendTest(
  services: Parts & { audit: Audit },
  { siteNo, domain }: Site,
  webhook: string,
): Promise<Delivery> {
  const { db, now, audit } = services
  const endpoint = await requireReady(services, { siteNo, domain }, webhook)
  const at = now()
  const id = await db.begin(async transaction => {
    const data = JSON.stringify({ message: 'This is a test.' })
    const [event] = await insertTest(transaction, { siteNo, endpointId: endpoint.id, now: at, data })
    const [made] = await insertDelivery(transaction, {
      siteNo,
      endpointId: endpoint.id,
      eventId: event!.id,
      eventNo: event!.eventNo,
      now: at,
      retryUntil: new Date(at.getTime() + RETRY_MS),
    })
    await audit(transaction, {
      action: 'webhook.test',
      object: { type: 'webhook', id: endpoint.id },
      details: { name: endpoint.name, domain },
    })
    return made!.id
  })
  const [row] = await findDelivery(db, { endpointId: endpoint.id, id })
  if (!row) throw noSuchDelivery()
  return presentDelivery(row)
}

async function requireReady(
  { db }: Pick<Services, 'db'>,
  site: { siteNo: number; domain: string },
  id: string,
) {
  const endpoint = await findEndpoint(db, site, id)
  if (!endpoint.isEnabled) throw invalidField('webhook', 'The webhook is off: switch it on first')
  if (endpoint.waiting >= MOST_WAITING) {
    throw invalidField('webhook', `${MOST_WAITING} messages wait for this webhook, as many as may`)
  }
  return endpoint
}
