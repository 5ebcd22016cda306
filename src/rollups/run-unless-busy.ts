import { AppError } from '../errors.ts'
import type { Pool } from '../threads/pool.ts'
import { runTask, type Tasks } from './protocol.ts'

/** Runs a task in a thread; null when the threads or the database cannot take it now, as when the task itself leaves it to rows. */
export async function runUnlessBusy<Name extends keyof Tasks>(
  pool: Pool,
  name: Name,
  input: Tasks[Name]['input'],
): Promise<Tasks[Name]['output'] | null> {
  try {
    return await runTask(pool, name, input)
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return null
    throw error
  }
}
