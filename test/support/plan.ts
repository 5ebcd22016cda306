import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/platform/db/connect.ts'
import { compileQuery, queryFile } from '../../src/platform/db/query.ts'
import { planOnce } from '../../src/storage/rollups/daily/roll-up-day.ts'
import type { PlanNode } from './nested-loops.ts'

/**
 * How many pairs of rows the joins of a statement compared and threw away, under the plan that rollups run it with.
 * @param parameters SQL literals by name
 */
export async function pairsThrownAway(
  db: Db,
  name: string,
  parameters: Record<string, string>,
): Promise<number> {
  const { text, parameters: names } = compileQuery(name, queryFile(name))
  const values = names.map(parameter => parameters[parameter]!)
  return db
    .begin(async tx => {
      await planOnce(tx)
      // A prepared statement stays after a failure.
      const explain = `explained_${randomUUID().replaceAll('-', '')}`
      await tx.unsafe(`prepare ${explain} as ${text}`)
      const [explained] = await tx.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
        `explain (analyze, timing off, format json) execute ${explain} (${values.join(', ')})`,
      )
      await tx.unsafe(`deallocate ${explain}`)
      throw new Measured(thrownAway(explained!['QUERY PLAN'][0]!.Plan))
    })
    .catch(error => {
      if (error instanceof Measured) return error.pairs
      throw error
    }) as Promise<number>
}

/** Undoes what the statement has changed. */
class Measured extends Error {
  readonly pairs: number
  constructor(pairs: number) {
    super()
    this.pairs = pairs
  }
}

/** The plan says how many a loop threw away, on average. */
const thrownAway = (node: PlanNode): number =>
  (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops']! +
  (node.Plans ?? []).reduce((sum, child) => sum + thrownAway(child), 0)
