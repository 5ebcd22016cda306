import type { Db } from '../../src/db/connect.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import type { Pool } from '../../src/threads/pool.ts'

/** The threads' task table, run here: the same code, without the threads. */
export function inProcessPool(db: Db): Pool {
  const table = tasks as unknown as Record<string, (db: Db, input: unknown) => Promise<unknown>>
  return { run: (task, input) => table[task]!(db, input), close: async () => {} }
}
