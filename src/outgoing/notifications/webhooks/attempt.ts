import type { Config } from '../../../platform/config/config.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import {
  type FetchProblem,
  PUBLIC_INTERNET,
  PublicFetchError,
  type Reach,
  requestPublic,
} from '../../../platform/net/public-fetch.ts'
import { mend } from '../../../platform/schema/validation.ts'
import { bodyOf, type OutgoingEvent } from './body.ts'
import { discordBody, slackBody } from './chat.ts'
import { isReachable } from './endpoint-url.ts'
import type { Format } from './kinds.ts'
import { SIGNATURE_HEADER, signatureOf } from './signature.ts'
import { ANSWER_BYTES, TIMEOUT_MS } from './webhook-limits.ts'

/** A delivery with what its attempt needs, decrypted. It must never appear in a log. */
export interface Outgoing {
  deliveryId: string
  url: string
  format: Format
  /** The present secret first; empty unless `signed`. */
  secrets: string[]
  event: OutgoingEvent
}

export interface Outcome {
  tookMs: number
  /** Null without an answer. */
  status: number | null
  answer: string
  /** Null after a success. */
  error: FetchProblem | 'bad_status' | 'redirect' | 'unreadable' | null
}

export interface SendOptions {
  networks: Config['webhookNetworks']
  /** Returns all addresses of a host name. */
  resolve?: Reach['resolve'] | undefined
  timeoutMs?: number | undefined
}

const BODY_OF: Record<Format, (event: OutgoingEvent) => string> = {
  signed: bodyOf,
  slack: slackBody,
  discord: discordBody,
}

/**
 * Sends a delivery once. Only an answer of 200 to 299 is a success; redirects are not followed. The name is looked up once, and every
 * address that it has must be allowed.
 * @param now time of the signature
 */
export async function attempt(
  { networks, resolve = PUBLIC_INTERNET.resolve, timeoutMs = TIMEOUT_MS }: SendOptions,
  { deliveryId, url: text, format, secrets, event }: Outgoing,
  now: Date,
): Promise<Outcome> {
  const url = new URL(text)
  const body = BODY_OF[format](event)
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'Analytics-Webhooks/1',
    'Analytics-Delivery': deliveryId,
  }
  if (secrets.length > 0) headers[SIGNATURE_HEADER] = signatureOf(body, secrets, now)
  const reach: Reach = {
    resolve,
    isAllowed: address => isReachable(networks, url.protocol, address),
    timeoutMs,
    maxBytes: ANSWER_BYTES,
  }
  const startedAt = performance.now()
  const took = () => Math.round(performance.now() - startedAt)
  try {
    const request = { headers, body: Buffer.from(body), wants: () => true }
    // Whatever the receiver does, its place is free after this time.
    const answer = await withDeadline(
      timeoutMs,
      requestPublic(url, reach, request),
      () => new PublicFetchError('timed_out'),
    )
    const { status } = answer
    return {
      tookMs: took(),
      status,
      answer: mend(answer.body?.toString() ?? ''),
      error: problemOfStatus(status),
    }
  } catch (error) {
    const problem = error instanceof PublicFetchError ? error.problem : 'connection_failed'
    return { tookMs: took(), status: null, answer: '', error: problem }
  }
}

function problemOfStatus(status: number): Outcome['error'] {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status'
}
