import type { FairPool } from '../../platform/threads/fair-pool.ts'
import type { PatternTasks, RefusedTest, ValueTest } from './pattern-protocol.ts'

/**
 * Checks in a pattern thread whether tests can be used: to compile an expression can take some hundred milliseconds, in which the main
 * thread could not serve other requests.
 * @returns the first test that cannot be used; undefined when all can
 * @throws AppError `unavailable` when the threads cannot take the task now
 */
export function checkTests(
  { patterns, signal }: { patterns: Pick<FairPool, 'run'>; signal?: AbortSignal | undefined },
  tests: ValueTest[],
): Promise<RefusedTest | undefined> {
  return patterns.run('compileTests', tests, signal) as Promise<PatternTasks['compileTests']['output']>
}
