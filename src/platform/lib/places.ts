/** Runs tasks, a few at a time; the others wait in order. */
export type Places = <Result>(task: () => Promise<Result>) => Promise<Result>

/**
 * @param options.places most tasks that run at once
 * @param options.waiting most tasks that wait; one more is refused
 * @param options.full returns the error for a task that is refused
 */
export function createPlaces(options: { places: number; waiting: number; full: () => Error }): Places {
  const waiting: (() => void)[] = []
  let running = 0
  return async task => {
    if (running < options.places) running += 1
    else if (waiting.length < options.waiting) await new Promise<void>(resolve => waiting.push(resolve))
    else throw options.full()
    try {
      return await task()
    } finally {
      // The place goes to the next task without being free in between: a new task cannot take it.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
