import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

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
  return v7({ msecs: now, seq: sequence })
}
