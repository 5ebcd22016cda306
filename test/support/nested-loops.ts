/** A node of the output of `explain (format json)`. */
export interface PlanNode {
  'Node Type': string
  'Parent Relationship'?: string
  Strategy?: string
  'CTE Name'?: string
  'Index Cond'?: string
  'Rows Removed by Join Filter'?: number
  /** with `analyze` */
  'Actual Loops'?: number
  Plans?: PlanNode[]
}

/**
 * Returns the nested loops of a plan whose work grows with the product of two lists; not those that look up one row at a time,
 * by an index or in a `lateral`, nor those with one row on a side.
 */
export function quadraticLoops(plan: PlanNode): PlanNode[] {
  const own = plan['Node Type'] === 'Nested Loop' && isQuadratic(plan) ? [plan] : []
  return [...own, ...(plan.Plans ?? []).flatMap(quadraticLoops)]
}

function isQuadratic({ Plans = [] }: PlanNode): boolean {
  // The statements of a `with` that a loop reads come before its two sides.
  const [outer, inner] = ['Outer', 'Inner'].map(side =>
    Plans.find(node => node['Parent Relationship'] === side),
  )
  return !isOneRow(outer!) && !isOneRow(inner!) && !isLookUp(inner!)
}

function isOneRow(node: PlanNode): boolean {
  if (node['Node Type'] === 'Aggregate' && node.Strategy === 'Plain') return true
  if (node['Node Type'] === 'Result' && !node.Plans) return true
  if (node['Node Type'] === 'CTE Scan') return node['CTE Name'] === 'params' || node['CTE Name'] === 'wanted'
  return false
}

/** Returns whether a node reads a bounded number of rows for each outer row: a function, an index scan, a limit, or constants. */
function isLookUp(node: PlanNode): boolean {
  // A cache of the nodes below it, conditions on their rows, or chunks one after the other.
  if (
    ['Memoize', 'Subquery Scan', 'Result', 'Custom Scan', 'Append'].includes(node['Node Type']) &&
    node.Plans
  )
    return node.Plans.every(isLookUp)
  if (['Function Scan', 'ProjectSet', 'Limit', 'Values Scan'].includes(node['Node Type'])) return true
  if (node['Node Type'] === 'Aggregate' && node.Strategy === 'Plain') return true
  return node['Index Cond'] !== undefined
}
