import { z } from 'zod'
import { AppError } from '../../platform/errors.ts'
import { checkDepth, MAX_DEPTH } from '../../platform/lib/json.ts'
import { canonicalAddress } from '../../platform/net/canonical-address.ts'
import { validationError } from '../../platform/schema/validation.ts'
import { ENDPOINTS, type Sender } from '../edge/accept.ts'
import type { Location } from '../edge/geo.ts'
import { readTime, refused } from './read-time.ts'
import { readStored, type StoredLine, StoredPart } from './stored-line.ts'

const optionalText = z
  .string()
  .nullish()
  .transform(value => value?.trim() ?? '')

const place = (pattern: RegExp, rule: string) =>
  z
    .string(rule)
    .nullish()
    .transform(value => value?.trim() ?? '')
    .refine(value => value === '' || pattern.test(value), rule)

const GivenLocation = z.object(
  {
    country: place(/^[A-Z]{2}$/, 'must be two capital letters (ISO 3166-1)'),
    region: place(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be an ISO 3166-2 code, such as US-CA'),
    city: place(/^[^\p{Cc}]{1,100}$/u, 'must be a name of at most 100 characters'),
  },
  'must be an object with country, region and city',
)

/** `identity`: what is known of a user, without a hit. */
const LINE_ENDPOINTS = [...ENDPOINTS, 'identity'] as const

const Envelope = z.object({
  endpoint: z.enum(LINE_ENDPOINTS),
  timestamp: z.string(),
  ip: optionalText,
  user_agent: optionalText,
  location: GivenLocation.nullish(),
  stored: StoredPart.nullish(),
  body: z.unknown().refine(body => body !== undefined, 'is required'),
})

/** Fields of a line, with its body not validated yet. */
export interface Envelope {
  endpoint: (typeof LINE_ENDPOINTS)[number]
  /** Unix milliseconds. */
  at: number
  sender: Sender
  /** As the line gives it; undefined: to be found from the address. */
  location: Location | undefined
  /** What an export has written of the stored hit. */
  stored: StoredLine | undefined
  body: unknown
}

/**
 * Parses a line; does not validate its body.
 * @param now Unix milliseconds; a later timestamp is refused
 * @throws AppError `validation_failed` with the reason
 */
export function readEnvelope(text: Buffer, now: number): Envelope {
  let value: unknown
  try {
    const line = text.toString()
    // Allow one level more than for a request: the body is nested in the line.
    checkDepth(line, 'line', MAX_DEPTH + 1)
    value = JSON.parse(line)
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') throw error
    throw refused('the line is not valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('the line must be a JSON object')
  }
  const parsed = Envelope.safeParse(value)
  if (!parsed.success) throw validationError(parsed.error)
  const { endpoint, timestamp, ip, user_agent: userAgent, location, stored, body } = parsed.data
  const at = readTime(timestamp, 'timestamp', now)
  return {
    endpoint,
    at,
    sender: { address: canonicalAddress(ip), userAgent },
    location: location ?? undefined,
    stored: stored ? readStored(stored, endpoint, at, now) : undefined,
    body,
  }
}
