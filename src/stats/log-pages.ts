import { type Db, statement } from '../infra/db.ts'
import { type Page, type PageQuery, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { EventType } from '../ingestion/hit.ts'
import { isUnfiltered, readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import type { StatsServices } from './question.ts'

/** What reads of logs take from the world: they link to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

/** How many hits there are, and where those of a page lie in time. */
interface Place {
  total: number
  /** Half-open; both null when no hit is on the page. */
  start: Date | null
  end: Date | null
  /** How many of the newest there belong to pages before it. */
  skipped: number | null
}

const locatePage = statement<Place>('locate-log-page')

/**
 * A page of the hits that pass, the newest first, and how many there are.
 * Hits are counted by quarters of an hour first: that gives the total, and says in which stretch of time the page lies, so
 * that page 2,000 reads as little as page 1.
 * @param wanted.errorId only occurrences of this error
 */
export function readLog<Row extends object>(
  reads: Db,
  scope: Scope,
  query: PageQuery,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<Page<Row>> {
  const { limit, offset } = windowOf(query)
  // One snapshot: a hit that comes between the two statements would shift the page.
  return reads.begin('isolation level repeatable read read only', async transaction => {
    const [place] =
      isUnfiltered(scope) && errorId === undefined
        ? await locatePage(transaction, scope.siteNo, scope.start, scope.end, types, limit, offset)
        : await readKept<Place>(transaction, 'locate-kept-log-page', scope, {
            asked: { types, limit, offset },
            errorId,
          })
    const { total, start, end, skipped } = place!
    if (start === null || end === null || skipped === null) return { rows: [], total }
    const rows = await readKept<Row>(transaction, 'read-kept-log', scope, {
      asked: { types, limit, offset: skipped },
      slice: { start, end },
      errorId,
    })
    return { rows, total }
  }) as Promise<Page<Row>>
}
