import { inSnapshot, type Queryable, statement } from '../infra/db.ts'
import { type Page, type PageQuery, windowOf } from '../infra/pagination.ts'
import type { Services } from '../infra/services.ts'
import type { EventType } from '../ingestion/hit.ts'
import { isUnfiltered, readFiltered } from './filters/rows.ts'
import type { Scope } from './filters/scope.ts'
import { mergeSlices, readSlices } from './filters/slices.ts'
import type { StatsServices } from './question.ts'

/** Services that log queries use; the config is needed for the links to pictures. */
export type LogServices = StatsServices & Pick<Services, 'config'>

/** Total number of hits, and the time range that contains the hits of a page. */
interface Place {
  total: number
  /** Half-open; both null when no hit is on the page. */
  start: Date | null
  end: Date | null
  /** Number of the newest hits in this time range that belong to earlier pages. */
  skipped: number | null
}

const locatePage = statement<Place>('locate-log-page')

/**
 * Returns a page of the hits that match the filters, the newest first, with the total number of hits.
 * Counts hits by 15-minute bucket first: this gives the total and the time range of the page, so that page 2,000 reads as few
 * rows as page 1.
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
    const rows = await readFiltered<Row>(db, 'read-filtered-log', scope, {
      asked: { types, limit, offset: skipped },
      slice: { start, end },
      errorId,
    })
    return { rows, total }
  }

  if (services.slices && !isCounted) {
    return readSlices<Quarter>(services, 'count-filtered-quarters', scope, {
      asked: { types },
      errorId,
    }).then(rows =>
      readPage(
        services.reads,
        placeOf(
          mergeSlices(rows, ({ bucket }) => bucket),
          { limit, offset },
        ),
      ),
    )
  }
  // Without one snapshot, a hit that is stored between the two statements would shift the page.
  return inSnapshot(services.reads, async transaction => {
    const [place] = isCounted
      ? await locatePage(transaction, scope.siteNo, scope.start, scope.end, types, limit, offset)
      : await readFiltered<Place>(transaction, 'locate-filtered-log-page', scope, {
          asked: { types, limit, offset },
          errorId,
        })
    return readPage(transaction, place!)
  })
}

/** Hits of a 15-minute bucket that begins at `bucket`, Unix milliseconds. */
interface Quarter {
  bucket: number
  hits: number
}

const QUARTER_MS = 15 * 60_000

/** Does the same as `locate-filtered-log-page.sql`, from the counts of all slices. */
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
