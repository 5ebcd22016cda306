/** A node of what `explain (format json)` says. */
export interface PlanNode {
  'Node Type': string
  Strategy?: string
  'CTE Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/**
 * The nested loops of a plan whose work grows with the product of two lists. Not those that look up one row at a time, by
 * an index or in a `lateral`, nor those with a side that is one row.
 */
export function quadraticLoops(plan: PlanNode): PlanNode[] {
  const own = plan['Node Type'] === 'Nested Loop' && isQuadratic(plan) ? [plan] : []
  return [...own, ...(plan.Plans ?? []).flatMap(quadraticLoops)]
}

function isQuadratic({ Plans = [] }: PlanNode): boolean {
  const [outer, inner] = Plans
  return !isOneRow(outer!) && !isOneRow(inner!) && !isLookUp(inner!)
}

function isOneRow(node: PlanNode): boolean {
  if (node['Node Type'] === 'Aggregate' && node.Strategy === 'Plain') return true
  if (node['Node Type'] === 'Result' && !node.Plans) return true
  if (node['Node Type'] === 'CTE Scan') return node['CTE Name'] === 'asked' || node['CTE Name'] === 'wanted'
  return false
}

/** A function of the row at hand, the first that an index or a limited look has, a sum of those, or a list in the text. */
function isLookUp(node: PlanNode): boolean {
  // Only remembers what the look-up beneath it said.
  if (node['Node Type'] === 'Memoize') return isLookUp(node.Plans![0]!)
  if (['Function Scan', 'ProjectSet', 'Limit', 'Values Scan'].includes(node['Node Type'])) return true
  if (node['Node Type'] === 'Aggregate' && node.Strategy === 'Plain') return true
  return node['Index Cond'] !== undefined
}
