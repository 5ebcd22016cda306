import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../../platform/config/config.ts'
import type { Lease } from '../../../platform/redis/lease.ts'
import type { Job } from '../../../storage/rollups/scheduler.ts'
import { sendQueuedMails } from '../send-queued-mails.ts'
import { type ConversionServices, createConversionFinder } from './conversions/find-conversions.ts'
import { deleteOldEvents, spreadEvents } from './delivery-rows.ts'
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts'
import { queueNotices } from './notices.ts'
import { LOG_MS, MOST_WAITING, RETRY_MS } from './webhook-limits.ts'

/** Pause when nothing could begin. */
const TICK_MS = 2_000
/** A lease that is held is valid for 15 seconds: it is prolonged after a third of them. */
const PROLONG_MS = 5_000
/** Pause of the deliveries while there is something to do: each round looks at all endpoints. */
const BUSY_TICK_MS = 100
/** Events that get their deliveries in one statement. */
const SPREAD = 500
/** Rounds of one tick: other work of the database has its turn between ticks. */
const ROUNDS = 20
/** Longest wait for attempts that run when the process stops. The others begin anew elsewhere. */
const STOP_MS = 2_000
const OLD_EVENTS = 1_000

export type WebhookOptions = Omit<DispatcherOptions, 'networks' | 'secretKey'> &
  Omit<ConversionServices, 'mostWaiting'> & {
    config: Config
    /** Most deliveries of an endpoint that wait. */
    mostWaiting?: number
  }

/** Returns the steps from a stored hit or payment to its deliveries. Each is safe to stop at any point. */
export function createWebhookWork(options: WebhookOptions) {
  const { db, config, now, mostWaiting = MOST_WAITING } = options
  const finder = createConversionFinder({ ...options, mostWaiting })
  const dispatcher = createDispatcher({
    ...options,
    networks: config.webhookNetworks,
    secretKey: config.secretKey,
  })

  /** @returns whether there are deliveries that wait */
  async function spread(): Promise<boolean> {
    for (let round = 0; round < ROUNDS; round++) {
      const at = now()
      const retryUntil = new Date(at.getTime() + RETRY_MS)
      const [spread] = await spreadEvents(db, {
        limit: SPREAD,
        mostWaiting,
        now: at,
        retryUntil,
      })
      if (spread!.count < SPREAD) return spread!.isWaiting || spread!.count > 0 || round > 0
    }
    return true
  }

  /** A mail server may be slow: deliveries do not wait for it. */
  let mailing: Promise<void> | undefined

  function mail(): void {
    mailing ??= queueNotices(options, now())
      .then(() => sendQueuedMails(options, now()))
      .catch(error => options.log.warn({ error }, 'mails of webhooks and alerts'))
      .finally(() => {
        mailing = undefined
      })
  }

  return {
    /**
     * Begins to compare hits with goals, and waits until a place is free again, two seconds at most.
     * @returns with how many sites it has begun
     */
    async compare(): Promise<number> {
      const begun = await finder.begin(now())
      if (begun > 0) await finder.next(TICK_MS)
      return begun
    },
    /** Gives events their deliveries, and begins what is due, without waiting for answers. @returns how many attempts have begun */
    async deliver(): Promise<number> {
      const begun = (await spread()) ? await dispatcher.begin() : 0
      mail()
      return begun
    },
    /** Resolves when nothing of it runs and no mail is being sent. */
    async settle(): Promise<void> {
      await finder.settle()
      await dispatcher.settle()
      await mailing
    },
  }
}

/**
 * Repeats a step until it is stopped: every two seconds, and sooner while there is something to do.
 * @param begin returns how much has begun
 * @param busyMs pause after something has begun
 */
function repeat(
  begin: () => Promise<number>,
  busyMs: number,
  { hold, log }: Pick<WebhookOptions, 'log'> & { hold: Lease['hold'] },
) {
  const stopping = new AbortController()
  const { signal } = stopping

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let begun = 0
      try {
        if (await hold()) begun = await begin()
      } catch (error) {
        log.warn({ error }, 'webhooks')
      }
      await sleep(begun > 0 ? busyMs : TICK_MS, undefined, { signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    stop(): Promise<void> {
      stopping.abort()
      return running
    },
  }
}

/**
 * Runs these steps in the process that holds the lease. Comparing hits with goals has a loop of its own: patterns that are slow delay
 * no delivery.
 */
export function startWebhooks(options: WebhookOptions & { lease: Lease }): { stop(): Promise<void> } {
  const work = createWebhookWork(options)
  const { lease, log } = options
  let heldUntil = 0
  const hold = async () => {
    if (performance.now() < heldUntil) return true
    const prolongAt = performance.now() + PROLONG_MS
    const isHeld = await lease.hold()
    if (isHeld) heldUntil = prolongAt
    return isHeld
  }
  const loops = [repeat(work.compare, 0, { hold, log }), repeat(work.deliver, BUSY_TICK_MS, { hold, log })]
  return {
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()))
      const late = new Promise<void>(resolve => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([work.settle(), late])
      await lease.release().catch(() => {})
    },
  }
}

export const WEBHOOK_JOBS: readonly Job[] = [
  {
    name: 'forget webhook log',
    everyMs: 60_000,
    run: async ({ db }, now) => {
      const before = new Date(now.getTime() - LOG_MS)
      const [deleted] = await deleteOldEvents(db, { before, limit: OLD_EVENTS })
      return deleted!.count === OLD_EVENTS
    },
  },
]
