import type { Span } from '../../storage/columns/spans.ts'
import type { DimensionFilter } from '../conditions/conditions.ts'
import type { PropertyFilter } from '../filters/resolved-query.ts'
import type { GoalTarget } from '../goals/goal-target.ts'

/** Which hits and sessions count: all conditions must hold (docs/metrics.md "Filters"). Structured clones of it pass between processes. */
export interface Question {
  /** Half-open, Unix milliseconds. */
  start: number
  end: number
  filters: DimensionFilter[]
  /** Each must match some hit, together with the other filters on hits. */
  properties: PropertyFilter[]
  /** A session must have converted, in the range, one target of each list. */
  goals: GoalTarget[][]
  /** How many of these lists the request itself has; the others are those of its segments. */
  requested: 0 | 1
  /** Starts of sessions that the count needs besides those with a hit in the range. */
  sessions?: Span | undefined
}
