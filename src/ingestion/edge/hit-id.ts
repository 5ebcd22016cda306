import { randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** One call for the random bytes of many ids: a call costs more than the bytes. */
const pool = new Uint8Array(16 * 512)
let used = pool.length

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 16
  return pool.subarray(used - 16, used)
}

let lastMs = 0
let sequence = 0

/**
 * A UUIDv7 whose order within this process is the order of the calls, also inside a millisecond: what one sender
 * sends in turn is taken in turn.
 * @param now Unix milliseconds
 */
export function newHitId(now: number): string {
  sequence = now === lastMs ? sequence + 1 : randomInt(2 ** 30)
  lastMs = now
  return v7({ msecs: now, seq: sequence, random: randomBytes() })
}
