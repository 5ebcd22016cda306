import type { Db } from '../../platform/db/connect.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { limitTime } from '../../platform/lib/time-budget.ts'
import type { Job } from '../../storage/rollups/scheduler.ts'
import { removeOldHistory } from './delete-history.ts'
import { dropDetails } from './drop-details.ts'
import { moveDetailsFrom } from './keep-numbers.ts'

/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000

/**
 * Drops the details of sites that are past their retention, and numbers that were deleted with the history of a site. Each step
 * runs again from where it stopped.
 * @param hasTime asked before each transaction
 * @returns true when more work remains
 */
export async function applyRetention(db: Db, now: Date, hasTime = limitTime(BUDGET_MS)): Promise<boolean> {
  // Deletions first: the moves of this run are deleted only once requests that began before are over.
  const steps = [
    () => removeOldHistory(db, hasTime),
    () => dropDetails(db, now, hasTime),
    () => moveDetailsFrom(db, now, hasTime),
  ]
  for (const step of steps) if (await step()) return true
  return false
}

export const RETENTION_JOBS: readonly Job[] = [
  { name: 'retention', everyMs: 5 * MINUTE_MS, run: ({ db }, now) => applyRetention(db, now) },
]
