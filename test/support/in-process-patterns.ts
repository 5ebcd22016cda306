import { createFairPool, type FairPool } from '../../src/platform/threads/fair-pool.ts'
import { patternTasks } from '../../src/storage/patterns/pattern-tasks.ts'

/** The pattern threads' task table, run here: the same code, without the threads. */
export function inProcessPatterns(): FairPool {
  const table = patternTasks as unknown as Record<string, (input: unknown) => unknown>
  return createFairPool(
    { run: async (task, input) => table[task]!(structuredClone(input)), close: async () => {} },
    { places: 2, waiting: 30 },
  )
}
