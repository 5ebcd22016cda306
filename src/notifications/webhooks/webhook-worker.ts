import type { Config } from '../../config.ts'
import type { Lease } from '../../redis/lease.ts'
import type { Job } from '../../rollups/scheduler.ts'
import { sendQueuedMails } from '../mails/send-queued.ts'
import { deleteOldEvents, spreadEvents } from './delivery-rows.ts'
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts'
import { type ConversionServices, createConversionFinder } from './find-conversions.ts'
import { LOG_MS, MOST_WAITING, RETRY_MS } from './limits.ts'
import { queueNotices } from './notices.ts'

const TICK_MS = 1_000
/** Events that get their deliveries in one statement. */
const SPREAD = 500
/** Rounds of one tick: other work of the database has its turn between ticks. */
const ROUNDS = 20
/** Longest wait for attempts that run when the process stops. The others begin anew elsewhere. */
const STOP_MS = 2_000
const OLD_EVENTS = 1_000

export type WebhookOptions = Omit<DispatcherOptions, 'networks' | 'secretKey'> &
  ConversionServices & {
    config: Config
    /** Most deliveries of an endpoint that wait. */
    mostWaiting?: number
  }

/** Returns the steps from a stored hit or payment to its deliveries. Each is safe to stop at any point. */
export function createWebhookWork(options: WebhookOptions) {
  const { db, config, now, mostWaiting = MOST_WAITING } = options
  const findConversions = createConversionFinder(options)
  const dispatcher = createDispatcher({
    ...options,
    networks: config.webhookNetworks,
    secretKey: config.secretKey,
  })

  async function prepare(): Promise<void> {
    for (let round = 0; round < ROUNDS && (await findConversions(now())); round++) {}
    for (let round = 0; round < ROUNDS; round++) {
      const at = now()
      const retryUntil = new Date(at.getTime() + RETRY_MS)
      const [spread] = await spreadEvents(db, {
        limit: SPREAD,
        mostWaiting,
        now: at,
        retryUntil,
      })
      if (spread!.count < SPREAD) return
    }
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
    /** Begins what is due, without waiting for answers. @returns how many attempts have begun */
    async step(): Promise<number> {
      await prepare()
      const begun = await dispatcher.begin()
      mail()
      return begun
    },
    /** Resolves when no attempt runs and no mail is being sent. */
    async settle(): Promise<void> {
      await dispatcher.settle()
      await mailing
    },
  }
}

/** Runs these steps every second in the process that holds the lease. */
export function startWebhooks(options: WebhookOptions & { lease: Lease }): { stop(): Promise<void> } {
  const work = createWebhookWork(options)
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()

  function tick() {
    running = options.lease
      .hold()
      .then(isMine => (isMine ? work.step() : undefined))
      .catch(error => options.log.warn({ error }, 'webhooks'))
      .then(() => {
        if (!isStopping) timer = setTimeout(tick, TICK_MS)
      })
  }

  tick()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await running
      const late = new Promise<void>(resolve => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([work.settle(), late])
      await options.lease.release().catch(() => {})
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
