import type { Db } from '../infra/db.ts'
import { type Page, type PageQuery, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { EventType } from '../ingestion/hit.ts'
import { readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import type { StatsServices } from './question.ts'
import type { Range } from './time/range.ts'

/** What reads of logs take from the world: they link to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

interface BucketCount {
  bucket: Date
  hits: number
}

/** Fine enough that a page is found among few hits, coarse enough that counting is a small answer. */
function widthFor(days: number): { width: string; ms: number } {
  const minutes = days <= 31 ? 15 : days <= 400 ? 6 * 60 : 24 * 60
  return { width: `${minutes} minutes`, ms: minutes * 60_000 }
}

/**
 * A page of the hits that pass, the newest first, and how many there are.
 * Hits are counted by time first: that gives the total, and says in which stretch of time the page lies, so that page
 * 2,000 reads as little as page 1.
 * @param wanted.errorId only occurrences of this error
 */
export function readLog<Row extends object>(
  reads: Db,
  scope: Scope,
  range: Range,
  query: PageQuery,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<Page<Row>> {
  // One snapshot: a hit that comes between the two statements would shift the page.
  return reads.begin('isolation level repeatable read read only', async transaction => {
    const { width, ms } = widthFor(range.days)
    const asked = { types }
    const counts = await readKept<BucketCount>(transaction, 'count-kept-log', scope, {
      asked: { ...asked, width },
      errorId,
    })
    const total = counts.reduce((sum, { hits }) => sum + hits, 0)
    const { limit, offset } = windowOf(query)
    const found = locate(counts, offset, limit)
    if (!found) return { rows: [], total }
    const slice = { start: found.first, end: new Date(found.last.getTime() + ms) }
    const rows = await readKept<Row>(transaction, 'read-kept-log', scope, {
      asked: { ...asked, limit, offset: found.offset },
      slice,
      errorId,
    })
    return { rows, total }
  }) as Promise<Page<Row>>
}

/**
 * The buckets that hold the hits from `offset` on, counted from the newest, and how many of theirs to pass over.
 * @returns undefined when there are not so many
 */
function locate(counts: BucketCount[], offset: number, limit: number) {
  let passed = 0
  for (const [index, newest] of counts.entries()) {
    if (passed + newest.hits <= offset) {
      passed += newest.hits
      continue
    }
    let [oldest, covered] = [newest, newest.hits]
    for (let next = index + 1; covered < offset - passed + limit && next < counts.length; next++) {
      oldest = counts[next]!
      covered += oldest.hits
    }
    return { first: oldest.bucket, last: newest.bucket, offset: offset - passed }
  }
  return undefined
}
