import type { Db } from '../../db/connect.ts'
import type { Log } from '../../runtime/log.ts'
import { attempt, type Outcome, type Outgoing, type SendOptions } from './attempt.ts'
import {
  claimDeliveries,
  type DueRow,
  finishAttempt,
  giveUpEndpoint,
  insertAttempt,
  noteFailure,
  noteSuccess,
  selectDue,
} from './delivery-rows.ts'
import { endWaiting, updateWatching } from './endpoint-rows.ts'
import { GIVE_UP_FAILURES, GIVE_UP_MS, LOST_MS, pauseAfter } from './limits.ts'
import { unsealOf } from './secrets.ts'

/** Most attempts at once: to all endpoints that work, to all that fail, and to one endpoint of each kind. */
const WORKING = { all: 48, each: 4 }
const FAILING = { all: 16, each: 1 }

export interface DispatcherOptions extends SendOptions {
  db: Db
  log: Log
  secretKey: string
  now: () => Date
  /** Chance in the pauses, from 0 to 1. */
  chance?: () => number
}

/**
 * Returns what sends deliveries that are due. Endpoints that fail have places of their own, and one attempt at a time: they delay no
 * others. Deliveries of an endpoint begin in the order of their events, and up to four run at once.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { db, log, secretKey, now } = options
  const running = new Map<string, Promise<void>>()
  const places = { working: 0, failing: 0 }
  const byEndpoint = new Map<string, number>()

  /** Begins the attempts that are due and have a place. @returns how many */
  async function begin(): Promise<number> {
    const busy = [...byEndpoint].filter(([, count]) => count >= WORKING.each).map(([id]) => id)
    const at = now()
    const due = (await selectDue(db, { now: at, limit: WORKING.each, busy })).filter(
      ({ id }) => !running.has(id),
    )
    const chosen = due.filter(takePlace)
    const ids = chosen.map(({ id }) => id)
    const lostAt = new Date(at.getTime() + LOST_MS)
    const claimed = ids.length > 0 ? await claimDeliveries(db, { ids, now: at, lostAt }) : []
    const mine = new Set(claimed.map(({ id }) => id))
    for (const row of chosen) {
      if (!mine.has(row.id)) leavePlace(row)
      else running.set(row.id, handle(row))
    }
    return mine.size
  }

  function takePlace({ endpointId, isFailing }: DueRow): boolean {
    const kind = isFailing ? FAILING : WORKING
    const count = byEndpoint.get(endpointId) ?? 0
    const taken = isFailing ? places.failing : places.working
    if (count >= kind.each || taken >= kind.all) return false
    byEndpoint.set(endpointId, count + 1)
    places[isFailing ? 'failing' : 'working'] += 1
    return true
  }

  function leavePlace({ endpointId, isFailing }: DueRow): void {
    const count = byEndpoint.get(endpointId)! - 1
    if (count === 0) byEndpoint.delete(endpointId)
    else byEndpoint.set(endpointId, count)
    places[isFailing ? 'failing' : 'working'] -= 1
  }

  async function handle(row: DueRow): Promise<void> {
    try {
      const at = now()
      const outcome = await send(row, at)
      await finish(row, outcome, at)
    } catch (error) {
      // The delivery is due again when its claim has run out.
      log.warn({ deliveryId: row.id, error }, 'a webhook delivery could not be handled')
    } finally {
      leavePlace(row)
      running.delete(row.id)
    }
  }

  async function send(row: DueRow, at: Date): Promise<Outcome> {
    let outgoing: Outgoing
    try {
      outgoing = opened(secretKey, row)
    } catch {
      log.error(
        { endpointId: row.endpointId },
        'the secrets of a webhook were encrypted with another SECRET_KEY',
      )
      return { tookMs: 0, status: null, answer: '', error: 'unreadable' }
    }
    return attempt(options, outgoing, at)
  }

  /** Notes an attempt, and what follows from it. */
  async function finish({ id, attempts, retryUntil, endpointId }: DueRow, outcome: Outcome, at: Date) {
    const { error } = outcome
    const nextAt = new Date(at.getTime() + pauseAfter(attempts + 1, options.chance?.()))
    const state = error === null ? 'delivered' : nextAt > retryUntil ? 'failed' : 'pending'
    const finishedAt = state === 'pending' ? null : now()
    await db.begin(async tx => {
      await insertAttempt(tx, { deliveryId: id, at, ...outcome })
      await finishAttempt(tx, { id, state, nextAt, finishedAt })
      if (error === null) await noteSuccess(tx, { endpointId })
      else await noteFailure(tx, { endpointId, now: at })
      const since = new Date(at.getTime() - GIVE_UP_MS)
      const [off] =
        error === null
          ? []
          : await giveUpEndpoint(tx, { endpointId, now: at, since, failures: GIVE_UP_FAILURES })
      if (!off) return
      await endWaiting(tx, { id: endpointId, now: at })
      await updateWatching(tx, off)
    })
    log.debug({ deliveryId: id, status: outcome.status, error }, 'webhook attempt')
  }

  return {
    begin,
    /** Resolves when no attempt runs. */
    async settle(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}

function opened(secretKey: string, row: DueRow): Outgoing {
  const { endpointId, secret, previousSecret } = row
  const secrets = [secret, previousSecret].flatMap(sealed =>
    sealed ? [unsealOf(secretKey, endpointId, 'secret', sealed)] : [],
  )
  const { eventId, type, createdAt, siteId, domain, data } = row
  return {
    deliveryId: row.id,
    url: unsealOf(secretKey, endpointId, 'url', row.url),
    format: row.format,
    secrets,
    event: { id: eventId, type, createdAt, siteId, domain, data },
  }
}
