import { Stripe } from 'stripe'

const TIMEOUT_MS = 5_000

/** How the processor's API is reached. */
export interface StripeAccess {
  apiKey: string
  /** Another address than Stripe's own. */
  stripeApiBase: string | undefined
}

/** A client of the processor's API; connects when it is asked something. */
export function connectStripe({ apiKey, stripeApiBase }: StripeAccess): Stripe {
  const base = stripeApiBase === undefined ? undefined : new URL(stripeApiBase)
  return new Stripe(apiKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(base && {
      protocol: base.protocol === 'http:' ? 'http' : 'https',
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? 80 : 443),
    }),
  })
}

/** What went wrong when the processor was asked, in a line without anything secret. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Stripe.errors.StripeError)) return 'the answer cannot be read'
  const { type, statusCode, code } = error
  return [type, statusCode, code].filter(part => part !== undefined).join(' ')
}

/** The processor has no such object. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.statusCode === 404

/** Whoever asks for anything else now would fail in the same way, perhaps after waiting as long. */
export const refusesAll = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeConnectionError ||
  error instanceof Stripe.errors.StripeAuthenticationError ||
  error instanceof Stripe.errors.StripeRateLimitError
