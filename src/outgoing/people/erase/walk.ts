import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/lib/time.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import { EARLIEST, findNextRow } from '../next-row.ts'
import type { Erasure, Outcome } from './items.ts'

/** Target time of the reads of one window: the embedded database can do nothing else during a statement. */
const TARGET_MS = 200
const SHORTEST_MS = HOUR_MS / 4
const LONGEST_MS = 64 * DAY_MS

/** Length of the next window; adapts to the measured times. */
let windowMs = DAY_MS

const noteReached = query<{ id: string; reached: Date }>(
  'note-erasure-reached',
  'update erasures set reached = :reached where id = :id',
)

/**
 * Walks over all times at which a site has hits or sessions, in windows that are read in about 200 ms. What is done is noted in
 * the row of the erasure, so that a later call continues there.
 * @param visit handles a window; when it returns false, the window is visited again by the next call
 */
export async function walk(
  db: Db,
  erasure: Erasure,
  hasTime: () => boolean,
  visit: (span: TimeSpan) => Promise<boolean>,
): Promise<Outcome> {
  let from = erasure.reached ?? EARLIEST
  do {
    const [next] = await findNextRow(db, { siteNo: erasure.siteNo, from })
    if (!next!.at) return 'done'
    const span = { start: next!.at, end: new Date(next!.at.getTime() + windowMs) }
    const startedAt = performance.now()
    if (!(await visit(span))) return 'more'
    const tookMs = performance.now() - startedAt
    if (tookMs > 2 * TARGET_MS) windowMs = Math.max(SHORTEST_MS, windowMs / 2)
    else if (tookMs < TARGET_MS / 2) windowMs = Math.min(LONGEST_MS, windowMs * 2)
    await noteReached(db, { id: erasure.id, reached: span.end })
    from = span.end
  } while (hasTime())
  return 'more'
}
