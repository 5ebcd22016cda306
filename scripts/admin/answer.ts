import type { Db } from '../../src/platform/db/connect.ts'
import { type Surroundings, type Tools, withTools } from '../tools.ts'

/** Runs a command on the service's database and prints what it returns, as JSON; nothing for undefined. */
export type Answer = (run: (db: Db, tools: Tools) => Promise<object | undefined>) => Promise<void>

/** @param surroundings returns those of the run in progress */
export function answering(surroundings: () => Surroundings): Answer {
  return async run => {
    const { env, stdout } = surroundings()
    const result = await withTools(env, 'admin', tools => run(tools.db, tools))
    if (result) stdout.write(`${JSON.stringify(result)}\n`)
  }
}
