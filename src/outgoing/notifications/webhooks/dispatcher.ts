import type { Db } from '../../../platform/db/connect.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import { attempt, type Outcome, type Outgoing, type SendOptions } from './attempt.ts'
import { wholeData } from './body.ts'
import {
  claimDeliveries,
  type DueRow,
  finishAttempt,
  giveUpEndpoint,
  insertAttempt,
  type LoadedRow,
  loadDeliveries,
  noteFailure,
  noteSuccess,
  selectDue,
} from './delivery-rows.ts'
import { endWaiting, updateWatching } from './endpoint-rows.ts'
import { createPlaces } from './places.ts'
import { unsealOf } from './secrets.ts'
import { GIVE_UP_FAILURES, GIVE_UP_MS, LOST_MS, pauseAfter } from './webhook-limits.ts'

/** Most attempts at once: in all, of a team, of a site and to an endpoint. */
const WORKING = { all: 48, team: 24, site: 12, endpoint: 4 }
const FAILING = { all: 16, team: 8, site: 4, endpoint: 1 }
/** Deliveries that are looked at in one round. */
const ROUND = 500

export interface DispatcherOptions extends SendOptions {
  db: Db
  log: Log
  secretKey: string
  now: () => Date
  /** Chance in the pauses, from 0 to 1. */
  chance?: () => number
}

type Key = 'team' | 'site' | 'endpoint'
const holderOf = ({ teamId, siteNo, endpointId }: DueRow): Record<Key, string | number> => ({
  team: teamId,
  site: siteNo,
  endpoint: endpointId,
})

/**
 * Returns what sends deliveries that are due, in turns of their sites. Endpoints that fail have places of their own, and one attempt at
 * a time: they delay no others. Deliveries of an endpoint begin in the order of their events, and up to four run at once.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { db, log, secretKey, now } = options
  const running = new Map<string, Promise<void>>()
  const working = { isFailing: false, limits: WORKING, places: createPlaces<Key>(WORKING) }
  const failing = { isFailing: true, limits: FAILING, places: createPlaces<Key>(FAILING) }

  /** Begins the attempts that are due and have a place. @returns how many */
  const begin = async (): Promise<number> =>
    (await beginOf(working, failing)) + (await beginOf(failing, working))

  async function beginOf(
    { isFailing, limits, places }: typeof working,
    other: typeof working,
  ): Promise<number> {
    if (places.free() === 0) return 0
    const at = now()
    const due = await selectDue(db, {
      now: at,
      isFailing,
      perEndpoint: limits.endpoint,
      perTeam: limits.team,
      limit: ROUND,
      // One that has just begun to fail, or to work, ends its attempts of before first.
      busyEndpoints: [...places.full<string>('endpoint'), ...other.places.holders<string>('endpoint')],
      busySites: places.full('site'),
      busyTeams: places.full('team'),
    })
    const chosen = due.filter(row => !running.has(row.id) && places.take(holderOf(row)))
    const loaded = new Map<string, LoadedRow>()
    try {
      for (const row of await claim(chosen, at)) loaded.set(row.id, row)
    } finally {
      for (const row of chosen) {
        const leave = () => {
          places.leave(holderOf(row))
          running.delete(row.id)
        }
        const mine = loaded.get(row.id)
        if (mine) running.set(row.id, handle(mine, at).finally(leave))
        else leave()
      }
    }
    return loaded.size
  }

  /** Claims deliveries that have a place, then reads what they send. @returns those that this process sends */
  async function claim(chosen: readonly DueRow[], at: Date): Promise<LoadedRow[]> {
    if (chosen.length === 0) return []
    const lostAt = new Date(at.getTime() + LOST_MS)
    const claimed = await claimDeliveries(db, { ids: chosen.map(({ id }) => id), now: at, lostAt })
    return claimed.length === 0 ? [] : loadDeliveries(db, { ids: claimed.map(({ id }) => id), now: at })
  }

  async function handle(row: LoadedRow, at: Date): Promise<void> {
    try {
      await finish(row, await send(row, at), at)
    } catch (error) {
      // The delivery is due again when its claim has run out.
      log.warn({ deliveryId: row.id, error }, 'a webhook delivery could not be handled')
    }
  }

  async function send(row: LoadedRow, at: Date): Promise<Outcome> {
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
  async function finish({ id, attempts, endpointId }: LoadedRow, outcome: Outcome, at: Date) {
    const { error } = outcome
    const nextAt = new Date(at.getTime() + pauseAfter(attempts + 1, options.chance?.()))
    await db.begin(async tx => {
      await insertAttempt(tx, { deliveryId: id, at, ...outcome })
      await finishAttempt(tx, { id, isDelivered: error === null, nextAt, now: now() })
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

function opened(secretKey: string, row: LoadedRow): Outgoing {
  const { endpointId, secret, previousSecret } = row
  const secrets = [secret, previousSecret].flatMap(sealed =>
    sealed ? [unsealOf(secretKey, endpointId, 'secret', sealed)] : [],
  )
  const { eventId, type, createdAt, siteId, domain } = row
  const data = wholeData(row.data, row.hitData)
  return {
    deliveryId: row.id,
    url: unsealOf(secretKey, endpointId, 'url', row.url),
    format: row.format,
    secrets,
    event: { id: eventId, type, createdAt, siteId, domain, data },
  }
}
