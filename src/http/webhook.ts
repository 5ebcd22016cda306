import type { Request, RequestHandler, Response } from 'express'
import { AppError } from '../errors.ts'
import { overLimit, rateHeaders } from '../infra/rate-limit.ts'
import type { Services } from '../infra/services.ts'
import { findConnection } from '../revenue/connection.ts'
import { receiveEvent } from '../revenue/receive-event.ts'
import { verifySignature } from '../revenue/stripe/signature.ts'
import { isUuid } from '../sites/domain.ts'
import { type BodyLimits, readBody } from './body.ts'
import { givenRequestId } from './context-of.ts'

const EVENT_BODY: BodyLimits = { plain: 1024 * 1024, unpacked: 1024 * 1024 }

/**
 * What a payment processor calls: no token, but a signature over the body as it is, which therefore nothing may parse
 * before.
 */
export function processorWebhook(
  services: Pick<Services, 'db' | 'config' | 'limiter' | 'log' | 'now'>,
): RequestHandler {
  const { db, config, log, now } = services
  const { stripeApiBase } = config
  return async (req, res) => {
    const siteId = String(req.params.siteId).toLowerCase()
    await charge(services, siteId, res)
    const connection = await findConnection(db, siteId, config.secretKey)
    if (!connection) throw new AppError('not_found', 'No payment processor is connected to this site')
    const body = await readBody(req, EVENT_BODY)
    verifySignature(body, signatureOf(req), connection.webhookSecret, now())
    try {
      await receiveEvent({ db, log, stripeApiBase, now }, connection, new TextDecoder().decode(body))
    } catch (error) {
      if (error instanceof AppError && error.code === 'validation_failed') {
        // It is signed, so that it is the processor's: somebody should know that it could not be read.
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

/** Every request counts, valid or not; those for nothing that could be a site share one bucket. */
async function charge(
  { limiter, config, now }: Pick<Services, 'limiter' | 'config' | 'now'>,
  siteId: string,
  res: Response,
): Promise<void> {
  const limit = config.limits.webhook
  if (limit === 0) return
  const [rate] = await limiter.charge([{ key: `webhook:${isUuid(siteId) ? siteId : 'none'}`, limit }])
  res.set(rateHeaders(rate!))
  if (!rate!.isAllowed) throw overLimit(rate!, now())
}

/** A header that comes twice is joined by Node; one that is joined has no valid signature by chance. */
function signatureOf(req: Request): string | undefined {
  return req.get('stripe-signature')
}
