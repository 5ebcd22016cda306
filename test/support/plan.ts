import type { Db } from '../../src/infra/db.ts'
import { queryText, statement } from '../../src/infra/db.ts'

interface PlanNode {
  'Node Type': string
  'Rows Removed by Join Filter'?: number
  'Actual Loops': number
  Plans?: PlanNode[]
}

const planOnce = statement('plan-once')

/**
 * How many pairs of rows the joins of a statement compared and threw away, under the plan that rollups run it with.
 * @param parameters SQL literals with their types, in the order of $1, $2, …
 */
export async function pairsThrownAway(
  db: Db,
  name: string,
  types: readonly string[],
  parameters: readonly string[],
): Promise<number> {
  return db.begin(async tx => {
    await planOnce(tx)
    await tx.unsafe(`prepare explained (${types.join(', ')}) as ${queryText(name)}`)
    const [explained] = await tx.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
      `explain (analyze, timing off, format json) execute explained (${parameters.join(', ')})`,
    )
    await tx`deallocate explained`
    return thrownAway(explained!['QUERY PLAN'][0]!.Plan)
  }) as Promise<number>
}

/** The plan says how many a loop threw away, on average. */
const thrownAway = (node: PlanNode): number =>
  (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, child) => sum + thrownAway(child), 0)
