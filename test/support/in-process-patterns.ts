import { patternTasks } from '../../src/rollups/patterns/tasks.ts'
import { createFairPool, type FairPool } from '../../src/threads/fair-pool.ts'

/** The pattern threads' task table, run here: the same code, without the threads. */
export function inProcessPatterns(): FairPool {
  const table = patternTasks as unknown as Record<string, (input: unknown) => unknown>
  return createFairPool(
    { run: async (task, input) => table[task]!(structuredClone(input)), close: async () => {} },
    { places: 2, waiting: 30 },
  )
}
