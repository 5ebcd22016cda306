import { AppError } from '../errors.ts'

export interface GroupCommit<Item, Result = void> {
  /** Resolves with what became of the item when its batch is committed; rejects with what made it fail. */
  add(item: Item): Promise<Result>
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>
}

/** What became of one item of a batch. */
export type Outcome<Result> = { value: Result } | { failure: unknown }

interface Waiting<Item, Result> {
  item: Item
  bytes: number
  resolve: (value: Result) => void
  reject: (error: unknown) => void
}

/**
 * Gathers items while batches are in flight, so that under load one round trip carries many of them and an idle
 * service sends each at once. There is no timer.
 * @param options.maxBatchBytes of a batch, by `sizeOf`; an item that is larger is one alone
 * @param options.maxWaitingBytes of what waits, by `sizeOf`; an item that is larger waits alone
 * @param options.sizeOf about the bytes of memory that an item takes
 * @param options.commit commits a batch and says for each item, in order, what became of it
 * @throws AppError `unavailable` from `add` when as much waits already as may
 */
export function createGroupCommit<Item, Result = void>(options: {
  maxBatch: number
  maxBatchBytes: number
  maxInFlight: number
  maxWaiting: number
  maxWaitingBytes: number
  sizeOf: (item: Item) => number
  commit: (items: Item[]) => Promise<Outcome<Result>[]>
}): GroupCommit<Item, Result> {
  let waiting: Waiting<Item, Result>[] = []
  let waitingBytes = 0
  let inFlight = 0
  let whenIdle: (() => void)[] = []

  async function send(batch: Waiting<Item, Result>[]) {
    inFlight += 1
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
      sendWhatWaits()
    }
  }

  /** When nothing of a batch could be committed, what waits would only run into the same time limit once more. */
  function giveUp(error: unknown) {
    for (const entry of waiting) entry.reject(error)
    waiting = []
    waitingBytes = 0
  }

  function sendWhatWaits() {
    while (waiting.length > 0 && inFlight < options.maxInFlight) {
      let count = 0
      let bytes = 0
      while (count < waiting.length && count < options.maxBatch) {
        if (count > 0 && bytes + waiting[count]!.bytes > options.maxBatchBytes) break
        bytes += waiting[count++]!.bytes
      }
      waitingBytes -= bytes
      void send(waiting.splice(0, count))
    }
    if (waiting.length === 0 && inFlight === 0) {
      for (const resolve of whenIdle) resolve()
      whenIdle = []
    }
  }

  const isFull = (bytes: number) =>
    waiting.length >= options.maxWaiting ||
    (waiting.length > 0 && waitingBytes + bytes > options.maxWaitingBytes)

  return {
    add(item) {
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
        waitingBytes += bytes
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
