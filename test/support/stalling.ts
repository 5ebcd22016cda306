import type { Db } from '../../src/db/connect.ts'
import { deferred } from './deferred.ts'

/** A process that stalls before its first transaction that may write. */
interface Stalling {
  db: Db
  /** Resolves when it stalls. */
  stalled: Promise<void>
  resume(): void
}

/** Returns a handle whose first transaction that may write waits for `resume`. */
export function stalling(db: Db): Stalling {
  const [reached, gate] = [deferred(), deferred()]
  let isFirst = true
  const slow = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name !== 'begin' || typeof value !== 'function') return value
      return async (...parameters: unknown[]) => {
        // Reads give the options of their transaction first.
        if (typeof parameters[0] === 'function' && isFirst) {
          isFirst = false
          reached.resolve()
          await gate.promise
        }
        return value.apply(target, parameters)
      }
    },
  })
  return { db: slow, stalled: reached.promise, resume: gate.resolve }
}
