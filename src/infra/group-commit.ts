import { AppError } from '../errors.ts'

export interface GroupCommit<Item> {
  /** Resolves when the item's batch is committed; rejects with what made it fail. */
  add(item: Item): Promise<void>
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>
}

interface Waiting<Item> {
  item: Item
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * Gathers items while batches are in flight, so that under load one round trip carries many of them and an idle
 * service sends each at once. There is no timer.
 * @param options.commit commits a batch: for each item, undefined or the error it failed with, in order
 * @throws AppError `unavailable` from `add` when `maxWaiting` items wait already
 */
export function createGroupCommit<Item>(options: {
  maxBatch: number
  maxInFlight: number
  maxWaiting: number
  commit: (items: Item[]) => Promise<(unknown | undefined)[]>
}): GroupCommit<Item> {
  let waiting: Waiting<Item>[] = []
  let inFlight = 0
  let whenIdle: (() => void)[] = []

  async function send(batch: Waiting<Item>[]) {
    inFlight += 1
    try {
      const failures = await options.commit(batch.map(entry => entry.item))
      batch.forEach((entry, index) => {
        if (failures[index] === undefined) entry.resolve()
        else entry.reject(failures[index])
      })
      if (failures.every(failure => failure !== undefined)) giveUp(failures[0])
    } catch (error) {
      for (const entry of batch) entry.reject(error)
      giveUp(error)
    } finally {
      inFlight -= 1
      sendWhatWaits()
    }
  }

  /** When nothing of a batch could be committed, what waits would only run into the same time limit once more. */
  function giveUp(error: unknown) {
    for (const entry of waiting) entry.reject(error)
    waiting = []
  }

  function sendWhatWaits() {
    while (waiting.length > 0 && inFlight < options.maxInFlight) {
      const batch = waiting.slice(0, options.maxBatch)
      waiting = waiting.slice(options.maxBatch)
      void send(batch)
    }
    if (waiting.length === 0 && inFlight === 0) {
      for (const resolve of whenIdle) resolve()
      whenIdle = []
    }
  }

  return {
    add(item) {
      if (waiting.length >= options.maxWaiting) {
        return Promise.reject(
          new AppError('unavailable', 'More hits wait than can be taken now; try again shortly', {
            retryAfter: 1,
          }),
        )
      }
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        // Requests of one turn of the event loop travel together.
        if (waiting.length === 1 && inFlight < options.maxInFlight) setImmediate(sendWhatWaits)
      })
    },
    idle() {
      if (waiting.length === 0 && inFlight === 0) return Promise.resolve()
      return new Promise(resolve => whenIdle.push(resolve))
    },
  }
}
