import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import type { Job } from '../../../storage/rollups/scheduler.ts'
import { removeGone } from './store.ts'

/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000

/** Deletes the rows of imported totals that were removed. */
export const TOTALS_JOBS: readonly Job[] = [
  {
    name: 'imported-totals',
    everyMs: MINUTE_MS,
    run: ({ db }, now) => removeGone(db, now, limitTime(BUDGET_MS)),
  },
]
