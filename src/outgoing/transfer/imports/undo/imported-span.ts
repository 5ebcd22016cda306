import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { DAY_MS } from '../../../../platform/lib/time.ts'
import type { UndoTask } from '../import-kind.ts'

/** An identify without a session is the newest thing of its visitor, or a session follows. */
const selectSpan = query<{ siteNo: number; format: string }, { first: Date | null; last: Date | null }>(
  'select-imported-span',
  `select min(first_seen_at) as first, max(greatest(first_seen_at, newest_session_at, pending_since)) as last
  from visitors
  where site_no = :siteNo::int and imported_as = :format::text`,
)

/**
 * Returns the time in which all hits of visitors of an import lie, half-open; undefined without visitors. A session reaches at most a day
 * from its start.
 */
export async function importedSpan(
  db: Db,
  { siteNo, format }: Pick<UndoTask, 'siteNo' | 'format'>,
): Promise<{ start: Date; end: Date } | undefined> {
  const [span] = await selectSpan(db, { siteNo, format })
  if (!span?.first) return undefined
  return {
    start: new Date(span.first.getTime() - DAY_MS),
    end: new Date(span.last!.getTime() + 2 * DAY_MS),
  }
}
