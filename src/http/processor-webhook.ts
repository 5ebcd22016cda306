import { createHmac } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { findConnection } from '../money/processor/connection.ts'
import { verifySignature } from '../money/processor/stripe.ts'
import { receiveEvent } from '../money/receive-event.ts'
import { AppError } from '../platform/errors.ts'
import {
  createExhaustedLimits,
  overLimit,
  type RateLimit,
  type RateLimitDecision,
  rateHeaders,
} from '../platform/limits/rate-limit.ts'
import { requireFreeDisk } from '../platform/runtime/disk.ts'
import { asAppError } from '../platform/runtime/failures.ts'
import type { Services } from '../platform/services.ts'
import { type BodyLimits, readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { limitKey } from './hits/sender-limits.ts'
import { givenRequestId } from './request-id.ts'

const EVENT_BODY: BodyLimits = { plain: 1024 * 1024, unpacked: 1024 * 1024 }

type WebhookServices = Pick<Services, 'db' | 'config' | 'limiter' | 'log' | 'disk' | 'now'>

/**
 * Returns the handler that a payment processor calls. A call has no token but a signature over the raw body, so the body must
 * not be parsed before the signature is verified.
 */
export function processorWebhook(services: WebhookServices): RequestHandler {
  const { db, config, log, disk, now } = services
  const { stripeApiBase } = config
  const limits = createWebhookLimits(services)
  return async (req, res) => {
    const siteId = String(req.params.siteId).toLowerCase()
    const sender = limits.senderOf(req)
    limits.requireNotExhausted(sender, res)
    requireFreeDisk(disk)
    const { connection, text } = await readSigned(services, siteId, req).catch(async (error: unknown) => {
      // Do not count our own failures: the processor sends the event again, and must not be over its limit then.
      if (isOfSender(error)) await limits.countForSender(sender, res)
      throw error
    })
    await limits.countForSite(siteId, res)
    try {
      await receiveEvent({ db, log, stripeApiBase, now }, connection, text)
    } catch (error) {
      if (error instanceof AppError && error.code === 'validation_failed') {
        // The signature proves that the processor sent this event: log that the service could not read it.
        log.warn(
          { requestId: givenRequestId(res), siteId, fields: error.fields, reason: error.message },
          'an event of the payment processor cannot be read',
        )
      }
      throw error
    }
    res.status(200).json({ received: true })
  }
}

/**
 * Returns an event that the processor of the site has signed.
 * @throws AppError `not_found`, `bad_signature`, or as `readBody`
 */
async function readSigned({ db, config, now }: WebhookServices, siteId: string, req: Request) {
  const connection = await findConnection(db, siteId, config.secretKey)
  if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
  const body = await readBody(req, EVENT_BODY)
  // Node joins repeated headers into one; the joined value cannot become a valid signature by chance.
  verifySignature(body, req.get('stripe-signature'), connection.webhookSecret, now())
  return { connection, text: new TextDecoder().decode(body) }
}

const isOfSender = (error: unknown) => !['internal', 'unavailable'].includes(asAppError(error).code)

/**
 * Returns a salt for the UTC day without a round trip, because a refused call must not cost one. Without the secret key, the keys
 * in Redis do not reveal an address.
 */
const senderSalt = (secretKey: string, at: Date): Buffer =>
  createHmac('sha256', Buffer.from(secretKey, 'hex'))
    .update(`webhook senders ${at.toISOString().slice(0, 10)}`)
    .digest()

/**
 * Creates the two limits of the webhook: signed calls count for the site, all others for their sender's address. Otherwise
 * a sender without the secret could use up the limit of the processor.
 */
function createWebhookLimits({ config, limiter, now }: WebhookServices) {
  const exhausted = createExhaustedLimits(now)

  function show(decision: RateLimitDecision, res: Response): void {
    res.set(rateHeaders(decision))
    if (!decision.isAllowed) throw overLimit(decision, now())
  }

  return {
    /** Undefined when the limit is turned off. */
    senderOf(req: Request): RateLimit | undefined {
      const limit = config.limits.webhook
      if (limit === 0) return undefined
      const salt = senderSalt(config.secretKey, now())
      return { key: limitKey('webhook-sender', clientAddress(req, config.trustProxy), salt), limit }
    },
    /** @throws AppError `rate_limited` for a sender whose earlier calls have used up its limit */
    requireNotExhausted(sender: RateLimit | undefined, res: Response): void {
      const refusal = sender && exhausted.refusalOf(sender)
      if (refusal) show(refusal, res)
    },
    async countForSender(sender: RateLimit | undefined, res: Response): Promise<void> {
      if (!sender) return
      const [decision] = await limiter.count([sender])
      exhausted.record(sender, decision!)
      show(decision!, res)
    },
    async countForSite(siteId: string, res: Response): Promise<void> {
      const limit = config.limits.webhook
      if (limit === 0) return
      const [decision] = await limiter.count([{ key: `webhook:${siteId}`, limit }])
      show(decision!, res)
    },
  }
}
