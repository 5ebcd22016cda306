import { AppError } from '../../platform/errors.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'

/** The web is not older. Without this bound, impossible dates would create one chunk for each of their weeks. */
const EARLIEST = Date.UTC(1990, 0, 1)

const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/

/**
 * Reads a time of a line.
 * @param name of the field, for the reason
 * @param now Unix milliseconds; a later time is refused
 * @returns Unix milliseconds
 * @throws AppError `validation_failed` with the reason
 */
export function readTime(text: string, name: string, now: number): number {
  const at = parseTime(text.trim())
  if (at === undefined) {
    throw refused(`${name} must be an ISO 8601 time with Z or an offset, such as 2024-01-31T12:00:00Z`)
  }
  if (at > now) throw refused(`${name} lies in the future`)
  if (at < EARLIEST) throw refused(`${name} lies before 1990`)
  return at
}

export const refused = (message: string) => new AppError('validation_failed', message)

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
