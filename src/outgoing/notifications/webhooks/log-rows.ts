import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Delivery } from './webhook-schema.ts'

export interface DeliveryRow {
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

export const selectDeliveries = query<
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

export const countDeliveries = query<{ endpointId: string; state: string | null }, { count: number }>(
  'count-webhook-deliveries',
  `select count(*)::int as count
  from webhook_deliveries
  where endpoint_id = :endpointId and (:state::text is null or state = :state)`,
)

export const findDelivery = query<
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

export const selectAttempts = query<{ id: string }, AttemptRow>(
  'list-webhook-attempts',
  `select number, at, took_ms as "tookMs", status, answer, error
  from webhook_attempts
  where delivery_id = :id
  order by number desc
  limit 50`,
)

export const noSuchDelivery = () => new AppError('not_found', 'No such delivery')

/** Returns a delivery in the form of the API. */
export const presentDelivery = (row: DeliveryRow): Delivery => ({
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
