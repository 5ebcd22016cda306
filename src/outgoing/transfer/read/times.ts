import { DAY_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { offsetAt } from '../../../platform/time/local-time.ts'

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s?(?:([Zz]|UTC|GMT)|([+-])(\d\d)(?::?(\d\d))?(?::\d\d)?)?$/

/**
 * Reads a time as databases and other products write it: `2024-01-31T12:00:00.5Z`, `2024-01-31 12:00:00.123456+00`,
 * `2024-01-31 12:00:00`, `2024-01-31`. Finer digits than milliseconds are cut.
 * @param zone IANA zone of a time that names none. A time that its clocks show twice is the earlier one; one that they skip is as
 * long after midnight as if they had not
 * @returns Unix milliseconds; undefined for a text that is no such time
 */
export function readTime(text: string | undefined, zone: string): number | undefined {
  const match = TIME.exec(text?.trim() ?? '')
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(digits => Number(digits ?? 0))
  if (month! < 1 || month! > 12 || hour! > 23 || minute! > 59 || second! > 59) return undefined
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second, milliseconds)
  // `Date` converts 30 February to 1 or 2 March.
  if (new Date(local).getUTCDate() !== day) return undefined
  if (match[8]) return local
  if (!match[9]) return instantOf(local, zone)
  const offset = (Number(match[10]) * 60 + Number(match[11] ?? 0)) * MINUTE_MS
  return match[9] === '-' ? local + offset : local - offset
}

/** Returns the instant at which clocks of the zone show a time, given as if it were UTC. */
export function instantOf(local: number, zone: string): number {
  const offsets = [offsetAt(zone, local - DAY_MS), offsetAt(zone, local + DAY_MS)]
  const fitting = offsets.filter(offset => offsetAt(zone, local - offset) === offset)
  return local - (fitting.length > 0 ? Math.max(...fitting) : offsets[0]!)
}
