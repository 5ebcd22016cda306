import { query } from '../../../platform/db/query.ts'
import type { Format } from './kinds.ts'

/** @returns one row with the number of events that got their deliveries */
export const spreadEvents = query<
  { limit: number; mostWaiting: number; now: Date; retryUntil: Date },
  { count: number; isWaiting: boolean }
>('spread-events')

/** A delivery that is due: what decides whether it has a place. */
export interface DueRow {
  id: string
  endpointId: string
  siteNo: number
  teamId: string
}

export const selectDue = query<
  {
    now: Date
    isFailing: boolean
    perEndpoint: number
    perTeam: number
    limit: number
    busyEndpoints: string[]
    busySites: number[]
    busyTeams: string[]
  },
  DueRow
>('select-due-deliveries')

/** A delivery with what its attempt needs. */
export interface LoadedRow {
  id: string
  attempts: number
  endpointId: string
  format: Format
  url: Uint8Array
  secret: Uint8Array | null
  previousSecret: Uint8Array | null
  eventId: string
  type: string
  createdAt: Date
  data: string
  /** Of conversions; null for other events. */
  hitData: string | null
  siteId: string
  domain: string
}

export const loadDeliveries = query<{ ids: string[]; now: Date }, LoadedRow>('load-deliveries')

/** Takes deliveries for this process: another one would begin them only after `lostAt`. */
export const claimDeliveries = query<{ ids: string[]; now: Date; lostAt: Date }, { id: string }>(
  'claim-deliveries',
  `update webhook_deliveries
  set next_at = :lostAt
  where id = any(:ids::uuid[]) and state = 'pending' and next_at <= :now
  returning id`,
)

/** Changes nothing for a delivery that was deleted meanwhile. */
export const insertAttempt = query<{
  deliveryId: string
  at: Date
  tookMs: number
  status: number | null
  answer: string
  error: string | null
}>(
  'insert-webhook-attempt',
  `insert into webhook_attempts (site_no, delivery_id, number, at, took_ms, status, answer, error)
  select site_no, id, attempts + 1, :at, :tookMs::int, :status::int, :answer, :error::text
  from (select site_no, id, attempts from webhook_deliveries where id = :deliveryId for update) as delivery`,
)

/**
 * A delivery that was ended meanwhile stays ended, unless the attempt has succeeded. One that was sent again by hand meanwhile has its new
 * time to be tried.
 */
export const finishAttempt = query<{ id: string; isDelivered: boolean; nextAt: Date; now: Date }>(
  'finish-webhook-attempt',
  `update webhook_deliveries
  set
    attempts = attempts + 1,
    state = case
      when :isDelivered::boolean then 'delivered'
      when state = 'pending' and :nextAt::timestamptz > retry_until then 'failed'
      else state
    end,
    next_at = :nextAt::timestamptz,
    finished_at = case
      when :isDelivered::boolean or state = 'pending' and :nextAt::timestamptz > retry_until then :now::timestamptz
      else finished_at
    end
  where id = :id`,
)

export const noteSuccess = query<{ endpointId: string }>(
  'note-webhook-success',
  `update webhook_endpoints
  set failing_since = null, failures = 0
  where id = :endpointId and failing_since is not null`,
)

export const noteFailure = query<{ endpointId: string; now: Date }>(
  'note-webhook-failure',
  `update webhook_endpoints
  set failing_since = coalesce(failing_since, :now), failures = failures + 1
  where id = :endpointId`,
)

/** Switches off an endpoint that has failed for too long. @returns one row when it did */
export const giveUpEndpoint = query<
  { endpointId: string; now: Date; since: Date; failures: number },
  { siteNo: number }
>(
  'give-up-webhook-endpoint',
  `update webhook_endpoints
  set is_enabled = false, given_up_at = :now, is_notice_due = true
  where id = :endpointId and is_enabled and failing_since <= :since and failures >= :failures
  returning site_no as "siteNo"`,
)

/** Deletes events with their deliveries and attempts, unless a delivery still waits. At most `limit`. */
export const deleteOldEvents = query<{ before: Date; limit: number }, { count: number }>('delete-old-events')
