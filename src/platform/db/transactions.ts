import { setImmediate } from 'node:timers/promises'
import type postgres from 'postgres'
import type { Db, Transaction } from './queryable.ts'

/** What was found out about the connection of one transaction. */
interface Connection {
  /** Why it is closed. */
  lost?: unknown
}

type Run = (tx: Transaction) => unknown

/** How many connections of the pool have closed: the option `onclose` of the driver. */
export interface Closings {
  count: number
}

/**
 * Ends the transactions of a pool with their connections. The driver goes on with a transaction whose connection has closed
 * (github.com/porsager/postgres/issues/1208): its next statement, or the driver's own ROLLBACK or COMMIT, writes to a socket that is
 * `null`, which ends the process; after a reconnection the statement would run outside of the transaction. Here such a statement
 * throws, and the driver is not told how the function ended that ran them.
 */
export function endWithConnections(sql: Db, closings: Closings): Db {
  const begin = sql.begin as (options: string, run: Run) => Promise<unknown>
  const guarded = (...given: [Run] | [string, Run]) => {
    const run = given.at(-1) as Run
    const connection: Connection = {}
    const whole = begin(given.length > 1 ? (given[0] as string) : '', tx =>
      unlessLost(connection, closings, () => run(guard(tx, connection, closings))),
    )
    whole.catch(error => {
      connection.lost = error
    })
    return whole
  }
  return Object.assign(sql, { begin: guarded as unknown as Db['begin'] })
}

/** Runs part of a transaction; if its connection is lost meanwhile, the result never comes. */
async function unlessLost<Result>(
  connection: Connection,
  closings: Closings,
  run: () => Result,
): Promise<Awaited<Result>> {
  const before = closings.count
  try {
    const result = run()
    return (await (Array.isArray(result) ? Promise.all(result) : result)) as Awaited<Result>
  } finally {
    // The driver rejects the statement first and the transaction after it.
    if (closings.count !== before) await setImmediate()
    if (connection.lost) await new Promise(() => {})
  }
}

/** Returns the transaction with statements that throw once its connection is lost. */
function guard(tx: Transaction, connection: Connection, closings: Closings): Transaction {
  const check = () => {
    if (connection.lost) throw connection.lost
  }
  return new Proxy(tx, {
    apply(target, self, given) {
      check()
      return Reflect.apply(target, self, given)
    },
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        check()
        if (name !== 'savepoint') return Reflect.apply(value, target, given)
        const run = given.pop() as Run
        const inner = (savepoint: postgres.TransactionSql<{ bigint: number }>) =>
          unlessLost(connection, closings, () => run(guard(savepoint, connection, closings)))
        return Reflect.apply(value, target, [...given, inner])
      }
    },
  })
}
