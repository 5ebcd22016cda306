/** Runs the tasks of one key one after the other, in the order of the calls; tasks of different keys run in parallel. */
export type Turns = <Result>(key: string | number, task: () => Promise<Result>) => Promise<Result>

export function createTurns(): Turns {
  const last = new Map<string | number, Promise<unknown>>()
  return (key, task) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(task, task)
    const settled = mine.then(
      () => {},
      () => {},
    )
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return mine
  }
}
