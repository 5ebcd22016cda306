import { Stripe } from 'stripe'
import { AppError } from '../../errors.ts'

/** Most seconds between the time in a signature and now, in both directions. */
const TOLERANCE = 300

/**
 * Checks that the processor signed a body with the webhook secret, at most 300 s before or after `now`.
 * @param header `Stripe-Signature`
 * @throws AppError `bad_signature` for a wrong signature or a time out of range
 */
export function verifySignature(body: Buffer, header: string | undefined, secret: string, now: Date): void {
  try {
    Stripe.webhooks.signature!.verifyHeader(body, header ?? '', secret, TOLERANCE, undefined, now.getTime())
  } catch (cause) {
    throw new AppError('bad_signature', 'The signature of this event cannot be verified', { cause })
  }
  // Stripe's package accepts signatures from the future.
  if (signedAt(header!) - Math.floor(now.getTime() / 1000) > TOLERANCE) {
    throw new AppError('bad_signature', 'The signature of this event is from the future')
  }
}

/** Reads the time like Stripe's package does: the last one if the header has several. */
function signedAt(header: string): number {
  const times = header.split(',').filter(part => part.split('=')[0] === 't')
  return Number.parseInt(times.at(-1)?.split('=')[1] ?? '', 10)
}
