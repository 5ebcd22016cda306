import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'
import type { GoalRecord } from '../../../../stats/goals/goal-schema.ts'

/** How long a goal that cannot be looked for is left out, unless it is changed. */
const PAUSE_MS = 10 * MINUTE_MS
const MOST_REMEMBERED = 10_000

/** Remembers goals that cannot be looked for, so that they do not take their time again with each hit. */
export function createPassedOver() {
  const until = new LRUCache<string, number>({ max: MOST_REMEMBERED })
  const keyOf = ({ id, matchOperator, matchValue }: GoalRecord) => `${id}/${matchOperator}/${matchValue}`
  return {
    add: (goal: GoalRecord, now: Date) => void until.set(keyOf(goal), now.getTime() + PAUSE_MS),
    has: (goal: GoalRecord, now: Date) => (until.get(keyOf(goal)) ?? 0) > now.getTime(),
  }
}
