import type { Db } from '../../src/platform/db/connect.ts'
import type { Pool } from '../../src/platform/threads/pool.ts'
import { tasks } from '../../src/storage/rollups/tasks.ts'

/** The threads' task table, run here: the same code, without the threads. */
export function inProcessPool(db: Db): Pool {
  const table = tasks as unknown as Record<string, (db: Db, input: unknown) => Promise<unknown>>
  return { run: (task, input) => table[task]!(db, input), close: async () => {} }
}
