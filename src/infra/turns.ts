/** Runs tasks of one key one after the other, in the order they came; those of different keys side by side. */
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
