import { inSnapshot, type Queryable, statement } from '../infra/db.ts'
import { type Page, type PageQuery, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { EventType } from '../ingestion/hit.ts'
import { isUnfiltered, readKept } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
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
  services: Pick<StatsServices, 'reads' | 'slices'>,
  scope: Scope,
  query: PageQuery,
  { types, errorId }: { types: EventType[]; errorId?: string },
): Promise<Page<Row>> {
  const { limit, offset } = windowOf(query)
  const isCounted = isUnfiltered(scope) && errorId === undefined

  async function readPage(db: Queryable, { total, start, end, skipped }: Place): Promise<Page<Row>> {
    if (start === null || end === null || skipped === null) return { rows: [], total }
    const rows = await readKept<Row>(db, 'read-kept-log', scope, {
      asked: { types, limit, offset: skipped },
      slice: { start, end },
      errorId,
    })
    return { rows, total }
  }

  if (services.slices && !isCounted) {
    return readSlices<Quarter>(services, 'count-kept-quarters', scope, { asked: { types }, errorId }).then(
      rows =>
        readPage(
          services.reads,
          placeOf(
            mergeSlices(rows, ({ bucket }) => bucket),
            { limit, offset },
          ),
        ),
    )
  }
  // One snapshot: a hit that comes between the two statements would shift the page.
  return inSnapshot(services.reads, async transaction => {
    const [place] = isCounted
      ? await locatePage(transaction, scope.siteNo, scope.start, scope.end, types, limit, offset)
      : await readKept<Place>(transaction, 'locate-kept-log-page', scope, {
          asked: { types, limit, offset },
          errorId,
        })
    return readPage(transaction, place!)
  })
}

/** Hits of a quarter of an hour, which begins at `bucket`, Unix milliseconds. */
interface Quarter {
  bucket: number
  hits: number
}

const QUARTER_MS = 15 * 60_000

/** As `locate-kept-log-page.sql`, of what slices counted. */
function placeOf(quarters: Quarter[], { limit, offset }: { limit: number; offset: number }): Place {
  let total = 0
  let [start, end, skipped]: (number | null)[] = [null, null, null]
  for (const { bucket, hits } of quarters.toSorted((a, b) => b.bucket - a.bucket)) {
    const before = total
    total += hits
    if (total <= offset || before >= offset + limit) continue
    start = bucket
    end ??= bucket + QUARTER_MS
    skipped ??= offset - before
  }
  return { total, start: dateOf(start!), end: dateOf(end!), skipped: skipped! }
}

const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at))
