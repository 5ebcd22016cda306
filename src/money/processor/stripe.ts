import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Stripe } from 'stripe'
import { AppError } from '../../platform/errors.ts'

const TIMEOUT_MS = 5_000

/** Loads the package at its first use: every process would start 100 ms later, and most never use it. */
const library = (): typeof Stripe => createRequire(import.meta.url)('stripe')

/** Key and address of the processor's API. */
export interface StripeAccess {
  apiKey: string
  /** Address to use instead of Stripe's own. */
  stripeApiBase: string | undefined
}

/**
 * Returns a client of the processor's API. It connects at the first request.
 * @param options.retries attempts after a failed one, within the timeout of each
 */
export function connectStripe(
  { apiKey, stripeApiBase }: StripeAccess,
  { timeoutMs = TIMEOUT_MS, retries = 1 } = {},
): Stripe {
  const base = stripeApiBase === undefined ? undefined : new URL(stripeApiBase)
  return new (library())(apiKey, {
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    ...(base && {
      protocol: base.protocol === 'http:' ? 'http' : 'https',
      host: base.hostname,
      port: base.port || (base.protocol === 'http:' ? 80 : 443),
    }),
  })
}

/** Returns one line about a failed request to the processor, without secrets. */
export function failureOf(error: unknown): string {
  if (!(error instanceof library().errors.StripeError)) return 'the answer cannot be read'
  const { type, statusCode, code } = error
  return [type, statusCode, code].filter(part => part !== undefined).join(' ')
}

/** Whether the error says that the processor does not have the object. */
export const isMissing = (error: unknown): boolean =>
  error instanceof library().errors.StripeError && error.statusCode === 404

/** Whether further requests would fail in the same way, possibly after the same timeout. */
export function refusesAll(error: unknown): boolean {
  const { StripeConnectionError, StripeAuthenticationError, StripeRateLimitError } = library().errors
  return [StripeConnectionError, StripeAuthenticationError, StripeRateLimitError].some(
    kind => error instanceof kind,
  )
}

/** What can be done about a failed request. */
export type Remedy =
  | { kind: 'wait'; seconds: number | undefined }
  /** The list changed: the object after which it should continue is gone. */
  | { kind: 'begin again' }
  | { kind: 'other key' }
  | { kind: 'permission' }
  | { kind: 'none' }

/** Returns what can be done about a failed request to a list. `seconds`: how long the processor asks to wait. */
export function remedyOf(error: unknown): Remedy {
  const { errors } = library()
  if (error instanceof errors.StripeAuthenticationError) return { kind: 'other key' }
  if (error instanceof errors.StripePermissionError) return { kind: 'permission' }
  if (!(error instanceof errors.StripeError)) return { kind: 'none' }
  const { statusCode = 0, param } = error
  if (param === 'starting_after' && statusCode < 500) return { kind: 'begin again' }
  const isPassing = error instanceof errors.StripeConnectionError || statusCode === 429 || statusCode >= 500
  if (!isPassing) return { kind: 'none' }
  const asked = Number((error.headers as Record<string, string> | undefined)?.['retry-after'])
  return { kind: 'wait', seconds: Number.isFinite(asked) && asked > 0 ? asked : undefined }
}

/** Most seconds between the time in a signature and now, in both directions. */
const TOLERANCE = 300

/**
 * Checks that the processor signed a body with the webhook secret, at most 300 s before or after `now`. Stripe's package checks the text of
 * the body and not its bytes: a body with a byte order mark would have another signature.
 * @param header `Stripe-Signature`: its time, and a signature for each secret that is valid
 * @throws AppError `bad_signature` for a wrong signature or a time out of range
 */
export function verifySignature(body: Buffer, header: string | undefined, secret: string, now: Date): void {
  const fields = (header ?? '').split(',').map(field => field.split('='))
  const time = fields.findLast(([name]) => name === 't')?.[1] ?? ''
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  const isExpected = (given: string) =>
    given.length === expected.length && timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(expected))
  const isSigned = fields.some(([name, value = '']) => name === 'v1' && isExpected(value))
  if (!isSigned || !/^\d{1,12}$/.test(time)) {
    throw new AppError('bad_signature', 'The signature of this event cannot be verified')
  }
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) > TOLERANCE) {
    throw new AppError(
      'bad_signature',
      `The signature of this event is more than ${TOLERANCE} s old or ahead`,
    )
  }
}
