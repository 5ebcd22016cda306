import { EventEmitter, once } from 'node:events'

/** The turn of a task among those of other teams. */
export interface Turn {
  /** Aborts when the task is to stop. */
  signal: AbortSignal
  /**
   * Called between two steps, while the task holds no lock and no connection.
   * @returns undefined, or a promise that must be awaited: other teams have their turn meanwhile
   * @throws the reason of the signal; so does the promise
   */
  pass(): Promise<void> | undefined
}

/** The turn of a task that shares its process with no other, such as a command. */
export const unsharedTurn = (signal = new AbortController().signal): Turn => ({
  signal,
  pass() {
    signal.throwIfAborted()
    return undefined
  },
})

export interface SharedTurn extends Turn {
  /** Lets the task go on. @returns when its slice is over and it waits */
  go(): Promise<void>
}

/**
 * Returns the turn of a task, which waits at first. Each slice ends with the first call of `pass` after its time.
 * @param options.clock milliseconds of any clock that does not go back
 */
export function createTurn(
  signal: AbortSignal,
  { sliceMs, clock }: { sliceMs: number; clock: () => number },
): SharedTurn {
  const events = new EventEmitter<{ go: []; over: [] }>()
  let isOn = false
  let endsAt = 0
  return {
    signal,
    pass() {
      signal.throwIfAborted()
      if (isOn && clock() < endsAt) return undefined
      const goesOn = once(events, 'go', { signal })
      if (isOn) {
        isOn = false
        events.emit('over')
      }
      return goesOn.then(() => signal.throwIfAborted())
    },
    async go() {
      isOn = true
      endsAt = clock() + sliceMs
      events.emit('go')
      await once(events, 'over')
    },
  }
}
