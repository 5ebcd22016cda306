import { validate as isUuid } from 'uuid'
import type { Audit } from '../../audit/audit.ts'
import { query } from '../../db/query.ts'
import { AppError, invalidField } from '../../errors.ts'
import { type PageUrl, paginate, windowOf } from '../../schema/pagination.ts'
import type { Services } from '../../services.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { bodyOf, wholeData } from './body.ts'
import { findEndpoint } from './endpoints.ts'
import { MOST_WAITING, RETRY_MS } from './limits.ts'
import type { Delivery, DeliveryDetail, ListDeliveries } from './schema.ts'

interface DeliveryRow {
  id: string
  eventId: string
  type: string
  state: Delivery['state']
  attempts: number
  status: number | null
  error: string | null
  createdAt: Date
  nextAt: Date | null
  finishedAt: Date | null
}

const COLUMNS = `
  delivery.id, delivery.event_id as "eventId", event.type, delivery.state, delivery.attempts, last.status, last.error,
  delivery.created_at as "createdAt", case when delivery.state = 'pending' then delivery.next_at end as "nextAt",
  delivery.finished_at as "finishedAt"`

const JOINED = `
  join outgoing_events as event on event.id = delivery.event_id
  left join lateral (
    select status, error from webhook_attempts where delivery_id = delivery.id order by number desc limit 1
  ) as last on true`

const selectDeliveries = query<
  { endpointId: string; state: string | null; limit: number; offset: number },
  DeliveryRow
>(
  'list-webhook-deliveries',
  `select ${COLUMNS}
  from (
    select *
    from webhook_deliveries
    where endpoint_id = :endpointId and (:state::text is null or state = :state)
    order by created_at desc, id desc
    limit :limit::bigint
    offset :offset::bigint
  ) as delivery
  ${JOINED}
  order by delivery.created_at desc, delivery.id desc`,
)

const countDeliveries = query<{ endpointId: string; state: string | null }, { count: number }>(
  'count-webhook-deliveries',
  `select count(*)::int as count
  from webhook_deliveries
  where endpoint_id = :endpointId and (:state::text is null or state = :state)`,
)

const findDelivery = query<
  { endpointId: string; id: string },
  DeliveryRow & { eventCreatedAt: Date; data: string; hitData: string | null }
>(
  'find-webhook-delivery',
  `select ${COLUMNS}, event.created_at as "eventCreatedAt", event.data, hit.data as "hitData"
  from webhook_deliveries as delivery
  ${JOINED}
  left join outgoing_hits as hit on hit.site_no = event.site_no and hit.hit_id = event.hit_id
  where delivery.endpoint_id = :endpointId and delivery.id = :id`,
)

interface AttemptRow {
  number: number
  at: Date
  tookMs: number
  status: number | null
  answer: string
  error: string | null
}

const selectAttempts = query<{ id: string }, AttemptRow>(
  'list-webhook-attempts',
  `select number, at, took_ms as "tookMs", status, answer, error
  from webhook_attempts
  where delivery_id = :id
  order by number desc
  limit 50`,
)

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

/** Returns a page of the deliveries of an endpoint, the newest first. @throws AppError `not_found` */
export async function listDeliveries(
  context: Parts & { pageUrl: PageUrl },
  site: Site,
  input: ListDeliveries,
) {
  const { id: endpointId } = await findEndpoint(context.db, site, input.webhook)
  const wanted = { endpointId, state: input.state ?? null }
  const [rows, [total]] = await Promise.all([
    selectDeliveries(context.db, { ...wanted, ...windowOf(input) }),
    countDeliveries(context.db, wanted),
  ])
  return paginate(context, input, { rows: rows.map(present), total: total!.count })
}

/** Returns a delivery with its attempts and what is sent. @throws AppError `not_found` */
export async function getDelivery(
  { db }: Pick<Services, 'db'>,
  site: Site,
  webhook: string,
  id: string,
): Promise<DeliveryDetail> {
  const { id: endpointId } = await findEndpoint(db, site, webhook)
  const [row] = isUuid(id) ? await findDelivery(db, { endpointId, id }) : []
  if (!row) throw noSuchDelivery()
  const { eventId, type, eventCreatedAt: createdAt } = row
  const data = wholeData(row.data, row.hitData)
  const attempts = await selectAttempts(db, { id })
  return {
    ...present(row),
    body: bodyOf({ id: eventId, type, createdAt, siteId: site.id, domain: site.domain, data }),
    log: attempts.map(({ at, tookMs, ...each }) => ({ ...each, at: at.toISOString(), took_ms: tookMs })),
  }
}

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
  return present(row)
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
  return present(row)
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

const noSuchDelivery = () => new AppError('not_found', 'No such delivery')

const present = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event_id: row.eventId,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.status,
  error: row.error,
  created_at: row.createdAt.toISOString(),
  next_at: row.nextAt?.toISOString() ?? null,
  finished_at: row.finishedAt?.toISOString() ?? null,
})
