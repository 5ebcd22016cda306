import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { checkDepth, MAX_DEPTH } from '../../lib/json.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { validationError } from '../../schema/validation.ts'
import { ENDPOINTS, type Endpoint, type Sender } from '../edge/accept.ts'
import type { Location } from '../edge/geo.ts'

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

const Envelope = z.object({
  endpoint: z.enum(ENDPOINTS),
  timestamp: z.string(),
  ip: optionalText,
  user_agent: optionalText,
  location: GivenLocation.nullish(),
  body: z.unknown().refine(body => body !== undefined, 'is required'),
})

/** Fields of a line, with its body not validated yet. */
export interface Envelope {
  endpoint: Endpoint
  /** Unix milliseconds. */
  at: number
  sender: Sender
  /** As the line gives it; undefined: to be found from the address. */
  location: Location | undefined
  body: unknown
}

/** The web is not older. Without this bound, impossible dates would create one chunk for each of their weeks. */
const EARLIEST = Date.UTC(1990, 0, 1)

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
  const { endpoint, timestamp, ip, user_agent: userAgent, location, body } = parsed.data
  const sender = { address: ip, userAgent }
  return { endpoint, at: readTime(timestamp, now), sender, location: location ?? undefined, body }
}

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/

function readTime(timestamp: string, now: number): number {
  const at = parseTime(timestamp.trim())
  if (at === undefined) {
    throw refused('timestamp must be an ISO 8601 time with Z or an offset, such as 2024-01-31T12:00:00Z')
  }
  if (at > now) throw refused('timestamp lies in the future')
  if (at < EARLIEST) throw refused('timestamp lies before 1990')
  return at
}

const refused = (message: string) => new AppError('validation_failed', message)

/** Returns Unix milliseconds, without finer digits; undefined for a text that is not a valid calendar time. */
function parseTime(text: string): number | undefined {
  const match = ISO_TIME.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(digits => Number(digits ?? 0))
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (hour! > 23 || minute! > 59 || second! > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const local = Date.UTC(year!, month! - 1, day!, hour, minute, second, milliseconds)
  // `Date` converts 30 February to 1 or 2 March.
  if (new Date(local).getUTCDate() !== day || month! < 1 || month! > 12) return undefined
  const offset = (offsetHours * 60 + offsetMinutes) * MINUTE_MS
  return match[8] === '-' ? local + offset : local - offset
}
