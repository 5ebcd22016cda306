import { createHmac } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { requireFreeDisk } from '../infra/disk.ts'
import { asAppError } from '../infra/failures.ts'
import { type Charge, overLimit, type Rate, rateHeaders } from '../infra/rate-limit.ts'
import type { Services } from '../infra/services.ts'
import { createSpentBuckets } from '../infra/spent-buckets.ts'
import { limitKey } from '../ingestion/edge/limit-keys.ts'
import { findConnection, type OpenConnection } from '../revenue/connection.ts'
import { receiveEvent } from '../revenue/receive-event.ts'
import { verifySignature } from '../revenue/stripe/signature.ts'
import { type BodyLimits, readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { givenRequestId } from './context-of.ts'

const EVENT_BODY: BodyLimits = { plain: 1024 * 1024, unpacked: 1024 * 1024 }

type WebhookServices = Pick<Services, 'db' | 'config' | 'limiter' | 'log' | 'disk' | 'now'>

/** An event that the processor of the site has signed. */
interface SignedEvent {
  connection: OpenConnection
  text: string
}

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
    limits.requireUnspent(sender, res)
    requireFreeDisk(disk)
    const { connection, text } = await readSigned(services, siteId, req).catch(async (error: unknown) => {
      // Do not charge our own failures: the processor sends the event again, and must not be over its limit then.
      if (isOfSender(error)) await limits.chargeSender(sender, res)
      throw error
    })
    await limits.chargeSite(siteId, res)
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

/** @throws AppError `not_found`, `bad_signature`, or as `readBody` */
async function readSigned(
  { db, config, now }: WebhookServices,
  siteId: string,
  req: Request,
): Promise<SignedEvent> {
  const connection = await findConnection(db, siteId, config.secretKey)
  if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
  const body = await readBody(req, EVENT_BODY)
  verifySignature(body, signatureOf(req), connection.webhookSecret, now())
  return { connection, text: new TextDecoder().decode(body) }
}

const isOfSender = (error: unknown) => !['internal', 'unavailable'].includes(asAppError(error).code)

/** Node joins repeated headers into one; the joined value cannot become a valid signature by chance. */
function signatureOf(req: Request): string | undefined {
  return req.get('stripe-signature')
}

/**
 * Returns a salt for the UTC day without a round trip, because a refused call must not cost one. Without the secret key, the keys
 * in Redis do not reveal an address.
 */
const senderSalt = (secretKey: string, at: Date): Buffer =>
  createHmac('sha256', Buffer.from(secretKey, 'hex'))
    .update(`webhook senders ${at.toISOString().slice(0, 10)}`)
    .digest()

/**
 * Creates the two limits of the webhook: signed calls are charged to the site, all others to their sender's address. Otherwise
 * a sender without the secret could use up the limit of the processor.
 */
function createWebhookLimits({ config, limiter, now }: WebhookServices) {
  const spent = createSpentBuckets(now)

  function show(rate: Rate, res: Response): void {
    res.set(rateHeaders(rate))
    if (!rate.isAllowed) throw overLimit(rate, now())
  }

  return {
    /** Returns the charge of the sender's address; undefined when the limit is turned off. */
    senderOf(req: Request): Charge | undefined {
      const limit = config.limits.webhook
      if (limit === 0) return undefined
      const salt = senderSalt(config.secretKey, now())
      return { key: limitKey('webhook-sender', clientAddress(req, config.trustProxy), salt), limit }
    },
    /** @throws AppError `rate_limited` for a sender whose earlier calls have used up its limit */
    requireUnspent(sender: Charge | undefined, res: Response): void {
      const rate = sender && spent.rateOf(sender)
      if (rate) show(rate, res)
    },
    /** @throws AppError `rate_limited` */
    async chargeSender(sender: Charge | undefined, res: Response): Promise<void> {
      if (!sender) return
      const [rate] = await limiter.charge([sender])
      spent.note(sender, rate!)
      show(rate!, res)
    },
    /** @throws AppError `rate_limited` */
    async chargeSite(siteId: string, res: Response): Promise<void> {
      const limit = config.limits.webhook
      if (limit === 0) return
      const [rate] = await limiter.charge([{ key: `webhook:${siteId}`, limit }])
      show(rate!, res)
    },
  }
}
