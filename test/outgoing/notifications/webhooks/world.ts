import { randomUUID } from 'node:crypto'
import { BlockList } from 'node:net'
import {
  createWebhookWork,
  startWebhooks,
  type WebhookOptions,
} from '../../../../src/outgoing/notifications/webhooks/webhook-worker.ts'
import { createLease } from '../../../../src/platform/redis/lease.ts'
import { type Api, type Member, startApi } from '../../../support/api.ts'
import { inProcessPatterns } from '../../../support/in-process-patterns.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.1', 32, 'ipv4')

/** The API, a receiver on this machine, and the work between them, on a clock that the test moves. */
export async function startWorld(options: { mails?: MailServer; work?: Partial<WebhookOptions> } = {}) {
  // Rows that the database stamps by itself, such as goals, must not lie in the future.
  const clock = { at: Date.now() + 60_000 }
  const now = () => new Date(clock.at)
  const receiver: Receiver = await startReceiver()
  const api: Api = await startApi({
    now,
    config: { webhookNetworks: LOOPBACK, ...(options.mails && { mail: options.mails.mail }) },
  })
  const owner: Member = await api.member()
  const { db, log, config } = api.services
  const workOptions = (): WebhookOptions => ({
    ...{ db, log, config, now, patterns: inProcessPatterns(), timeoutMs: 30_000, chance: () => 0.5 },
    ...options.work,
  })
  const startWork = (changes: Partial<WebhookOptions> = {}) =>
    createWebhookWork({ ...workOptions(), ...changes })
  const work = startWork()
  /** Compares all hits that wait, and begins what is due. */
  const step = async (which = work) => {
    while ((await which.compare()) > 0) await which.settle()
    return which.deliver()
  }

  return {
    ...{ api, db, owner, receiver, clock, now, startWork, step },
    /** The loops of an ingest process. */
    startLoops: () =>
      startWebhooks({ ...workOptions(), lease: createLease(api.services.redis, `webhooks ${randomUUID()}`) }),
    /** Does all that is due at the present time. */
    async run(which = work) {
      for (;;) {
        const begun = await step(which)
        await which.settle()
        if (begun === 0) return
      }
    },
    site: (member = owner) => api.site(member),
    call: (method: string, path: string, body?: unknown, token = owner.token) =>
      api.call(method, `/api/sites/${path}`, { token, body }),
    async webhook(siteId: string, fields: object = {}) {
      const body = { name: 'Receiver', url: `${receiver.url}/${randomUUID()}`, kinds: [], ...fields }
      const made = (await api.call('POST', `/api/sites/${siteId}/webhooks`, { token: owner.token, body }))
        .body
      return { ...made, path: new URL(body.url).pathname }
    },
    async close() {
      await api.close()
      await receiver.close()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>
