import { Stripe } from 'stripe'
import { AppError } from '../../errors.ts'

/** Seconds that the time in a signature may be off, before or after. */
const TOLERANCE = 300

/**
 * Checks that the processor signed a body with the secret of its webhook, now.
 * @param header `Stripe-Signature`
 * @throws AppError `bad_signature`
 */
export function verifySignature(body: Buffer, header: string | undefined, secret: string, now: Date): void {
  try {
    Stripe.webhooks.signature!.verifyHeader(body, header ?? '', secret, TOLERANCE, undefined, now.getTime())
  } catch (cause) {
    throw new AppError('bad_signature', 'The signature of this event cannot be verified', { cause })
  }
  // Stripe's package has no objection to signatures from the future.
  if (signedAt(header!) - Math.floor(now.getTime() / 1000) > TOLERANCE) {
    throw new AppError('bad_signature', 'The signature of this event is from the future')
  }
}

/** As the package reads it: of several times the last. */
function signedAt(header: string): number {
  const times = header.split(',').filter(part => part.split('=')[0] === 't')
  return Number.parseInt(times.at(-1)?.split('=')[1] ?? '', 10)
}
