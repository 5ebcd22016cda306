import type { Db } from '../../src/platform/db/connect.ts'

/** Returns a database handle that throws from statement number `calls + 1` on, as if the process had been killed. */
export function dyingAfter(db: Db, calls: number): Db {
  let left = calls
  return mortal(db, () => {
    left -= 1
    return left < 0
  })
}

/** Returns a database handle that throws from the first statement of this name on, as if the process had been killed. */
export function dyingAt(db: Db, statement: string): Db {
  let isDead = false
  return mortal(db, text => {
    isDead ||= typeof text === 'string' && text.startsWith(`/* ${statement} */`)
    return isDead
  })
}

function mortal<Target extends object>(target: Target, isDead: (text: unknown) => boolean): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name)
      if (typeof value !== 'function') return value
      if (name === 'begin') {
        return (run: (transaction: object) => unknown) =>
          value.call(inner, (transaction: object) => run(mortal(transaction, isDead)))
      }
      return (...parameters: unknown[]) => {
        if (isDead(parameters[0])) throw new Error('killed')
        return value.apply(inner, parameters)
      }
    },
  })
}
