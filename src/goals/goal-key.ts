import { createHash } from 'node:crypto'
import type { GoalDefinition } from './schema.ts'

/** Raise it when goals count something in another way than before. */
const COUNTING = 2

/**
 * Returns the name of what a goal counts, in PostgreSQL's uuid notation: a changed definition has another one, a changed display name has
 * not. Goal rollups count by it.
 */
export function goalKey(goal: GoalDefinition): string {
  const props = Object.entries(goal.customProps).sort(([a], [b]) => (a < b ? -1 : 1))
  const { type, matchValue, matchOperator, scrollThreshold, currency } = goal
  const definition = [COUNTING, type, matchValue, matchOperator, scrollThreshold, currency, props]
  const hex = createHash('sha256').update(JSON.stringify(definition)).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
