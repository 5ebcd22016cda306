import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../platform/lib/time.ts'

// Site, time and id identify a hit. The time has its own column, so the first half of the id needs only the day.
// The columnstore stores the two halves apart, and a half that is constant for a day compresses to almost nothing.

let latest = { day: Number.NaN, version: 0, text: '' }

/**
 * Returns the first half of an id with its dash: RFC 9562, with the first millisecond of the UTC day as the time.
 * @param at the hit's time, Unix milliseconds
 */
export function firstHalfAt(at: number, version: 7 | 8): string {
  const day = Math.floor(at / DAY_MS)
  if (latest.day !== day || latest.version !== version) {
    const time = (day * DAY_MS).toString(16).padStart(12, '0')
    latest = { day, version, text: `${time.slice(0, 8)}-${time.slice(8)}-${version}000-` }
  }
  return latest.text
}

/** Returns up to 8 random hex digits. Node makes the random bytes of many UUIDs at once. */
const randomDigits = (count: number) => randomUUID().slice(0, count)

let lastMs = 0
let sequence = 0

/**
 * Returns a UUIDv7. Ids of one millisecond and one process sort in the order of the calls, so the hits of one sender keep
 * their order.
 * @param now Unix milliseconds
 */
export function newHitId(now: number): string {
  sequence = now === lastMs ? sequence + 1 : Number.parseInt(randomDigits(7), 16)
  lastMs = now
  const word = (2 ** 31 + sequence).toString(16)
  return `${firstHalfAt(now, 7)}${word.slice(0, 4)}-${word.slice(4)}${randomDigits(8)}`
}
