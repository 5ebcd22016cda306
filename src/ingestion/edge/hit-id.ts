import { randomFillSync, randomInt } from 'node:crypto'

// A hit is known by its site, its time and its id. The time is stored beside the id, so that of the id's two halves, which the
// columnstore keeps apart, the first needs to say no more than the day: it takes up no room then.

const DAY_MS = 86_400_000

let latest = { day: Number.NaN, version: 0, text: '' }

/**
 * The first half of an id, with its dash: RFC 9562, of the UTC day's first millisecond.
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

/** One call for the random bytes of many ids: a call costs more than the bytes. */
const pool = Buffer.allocUnsafe(4 * 2048)
let used = pool.length

function randomWord(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 4
  return pool.toString('hex', used - 4, used)
}

let lastMs = 0
let sequence = 0

/**
 * A UUIDv7 whose order among those of a millisecond, within this process, is the order of the calls: what one sender
 * sends in turn is taken in turn.
 * @param now Unix milliseconds
 */
export function newHitId(now: number): string {
  sequence = now === lastMs ? sequence + 1 : randomInt(2 ** 29)
  lastMs = now
  const word = (2 ** 31 + sequence).toString(16)
  return `${firstHalfAt(now, 7)}${word.slice(0, 4)}-${word.slice(4)}${randomWord()}`
}
