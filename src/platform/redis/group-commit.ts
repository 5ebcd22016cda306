import { AppError } from '../errors.ts'

export type Outcome<Result> = { value: Result } | { failure: unknown }

interface Waiting<Item, Result> {
  item: Item
  bytes: number
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}

/** Room for the waiting items of one or several group commits. */
export interface WaitingRoom {
  items: number
  bytes: number
  /** Most items. */
  readonly maxItems: number
  /** Largest sum of the items' bytes; a larger item waits only if no other item does. */
  readonly maxBytes: number
}

/** Returns a room that is empty. */
export const waitingRoom = (maxItems: number, maxBytes: number): WaitingRoom => ({
  items: 0,
  bytes: 0,
  maxItems,
  maxBytes,
})

/**
 * Collects items while batches are in flight, and between the starts of two batches: under load one round trip carries many items, and
 * an idle service sends each item at once.
 * @param options.paceMs shortest time between the starts of two batches, in milliseconds; none without it
 * @param options.maxBatchBytes largest batch, by `sizeOf`; a larger item is a batch of its own
 * @param options.room bounds the waiting items, together with those of others that have the same room
 * @param options.sizeOf returns the approximate memory of an item in bytes
 * @param options.commit commits a batch and returns the outcome of each item, in order
 * @throws AppError `unavailable` from `add` when the limit of waiting items is reached
 */
export function createGroupCommit<Item, Result = void>(options: {
  maxBatch: number
  maxBatchBytes: number
  maxInFlight: number
  paceMs?: number
  room: WaitingRoom
  sizeOf: (item: Item) => number
  commit: (items: Item[]) => Promise<Outcome<Result>[]>
}) {
  const { room, paceMs = 0 } = options
  let waiting: Waiting<Item, Result>[] = []
  let inFlight = 0
  let lastStart = Number.NEGATIVE_INFINITY
  let isPlanned = false
  let whenIdle: (() => void)[] = []

  async function send(batch: Waiting<Item, Result>[]) {
    inFlight += 1
    lastStart = performance.now()
    try {
      const outcomes = await options.commit(batch.map(entry => entry.item))
      for (let index = 0; index < batch.length; index++) {
        const outcome = outcomes[index]!
        if ('value' in outcome) batch[index]!.resolve(outcome.value)
        else batch[index]!.reject(outcome.failure)
      }
      const [first] = outcomes
      if (first && 'failure' in first && outcomes.every(outcome => 'failure' in outcome))
        giveUp(first.failure)
    } catch (error) {
      for (const entry of batch) entry.reject(error)
      giveUp(error)
    } finally {
      inFlight -= 1
      if (waiting.length > 0 && paceMs > 0) plan()
      else sendWhatWaits()
    }
  }

  /** Rejects all waiting items after every item of a batch failed: they would only run into the same time limit again. */
  function giveUp(error: unknown) {
    for (const entry of waiting) {
      entry.reject(error)
      room.bytes -= entry.bytes
    }
    room.items -= waiting.length
    waiting = []
  }

  /** Sends what waits as soon as a batch may start. */
  function plan() {
    if (isPlanned || inFlight >= options.maxInFlight) return
    isPlanned = true
    const pause = lastStart + paceMs - performance.now()
    // Items of one turn of the event loop share a batch.
    if (pause > 0) setTimeout(sendWhatWaits, pause)
    else setImmediate(sendWhatWaits)
  }

  function sendWhatWaits() {
    isPlanned = false
    while (waiting.length > 0 && inFlight < options.maxInFlight) {
      let count = 0
      let bytes = 0
      while (count < waiting.length && count < options.maxBatch) {
        if (count > 0 && bytes + waiting[count]!.bytes > options.maxBatchBytes) break
        bytes += waiting[count++]!.bytes
      }
      room.items -= count
      room.bytes -= bytes
      void send(waiting.splice(0, count))
    }
    if (waiting.length === 0 && inFlight === 0) {
      for (const resolve of whenIdle) resolve()
      whenIdle = []
    }
  }

  const isFull = (bytes: number) =>
    room.items >= room.maxItems || (room.items > 0 && room.bytes + bytes > room.maxBytes)

  return {
    /** Resolves with the result of the item after its batch is committed; rejects with the failure of the item. */
    add(item: Item): Promise<Result> {
      const bytes = options.sizeOf(item)
      if (isFull(bytes)) {
        return Promise.reject(
          new AppError('unavailable', 'More hits wait than can be taken now; try again shortly', {
            retryAfter: 1,
          }),
        )
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, bytes, resolve, reject })
        room.items += 1
        room.bytes += bytes
        plan()
      })
    },
    /** Resolves when no item waits and no batch is in flight. */
    idle(): Promise<void> {
      if (waiting.length === 0 && inFlight === 0) return Promise.resolve()
      return new Promise(resolve => whenIdle.push(resolve))
    },
  }
}
