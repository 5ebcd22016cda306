import type { Db } from '../../src/db/connect.ts'

/** Returns a database handle that throws from statement number `calls + 1` on, as if the process had been killed. */
export function dyingAfter(db: Db, calls: number): Db {
  let left = calls
  const mortal = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(inner, name) {
        const value: unknown = Reflect.get(inner, name)
        if (typeof value !== 'function') return value
        if (name === 'begin') {
          return (run: (transaction: object) => unknown) =>
            value.call(inner, (transaction: object) => run(mortal(transaction)))
        }
        return (...parameters: unknown[]) => {
          left -= 1
          if (left < 0) throw new Error('killed')
          return value.apply(inner, parameters)
        }
      },
    })
  return mortal(db)
}
