import { BLOCK_ROWS } from '../../schema/download.ts'
import type { TimeSpan } from '../../time/range.ts'

/** Total number of rows, and the time range that contains the rows of a page. */
export interface PageRange {
  total: number
  /** Half-open; both null when no row is on the page. */
  start: Date | null
  end: Date | null
  /** Number of the newest rows in this time range that belong to earlier pages. */
  skipped: number | null
}

/** Returns the part of a range in which the rows of a page lie; undefined when no row is on the page. */
export function spanOfPage({ start, end }: PageRange, range: TimeSpan): TimeSpan | undefined {
  if (start === null || end === null) return undefined
  return {
    start: new Date(Math.max(start.getTime(), range.start.getTime())),
    end: new Date(Math.min(end.getTime(), range.end.getTime())),
  }
}

/** Rows of a 15-minute bucket that begins at `bucket`, Unix milliseconds. */
export interface Quarter {
  bucket: number
  hits: number
}

/** When a row is, and what orders rows of that time. */
interface Key<Id> {
  at: Date
  id: Id
}

/** Where a download of a list by time is: its time windows lead from the newest row to the oldest, without a gap. */
export interface LogPosition<Id extends string | number> {
  total: number
  isAtEnd: boolean
  /** Where the next block is to be read: rows since `start` that come after a place in the list. */
  next(): { start: Date; after: Key<Id> }
  /** Notes which rows were read: fewer than a block are all of the window. */
  passed(rows: Key<Id>[]): void
}

/**
 * Returns the position before the newest row.
 * @param quarters the rows to expect: each window has about as many as are read at once. More or fewer are read all the same
 * @param firstId before the ids of all rows
 */
export function startOfLog<Id extends string | number>(
  span: TimeSpan,
  quarters: Quarter[],
  firstId: Id,
): LogPosition<Id> {
  const starts = [...startsOf(span, quarters)]
  let after: Key<Id> = { at: span.end, id: firstId }
  return {
    total: quarters.reduce((sum, { hits }) => sum + hits, 0),
    isAtEnd: false,
    next: () => ({ start: starts[0]!, after }),
    passed(rows) {
      if (rows.length === BLOCK_ROWS) {
        const { at, id } = rows.at(-1)!
        after = { at, id }
        return
      }
      after = { at: starts.shift()!, id: firstId }
      this.isAtEnd = starts.length === 0
    },
  }
}

/** Starts of the windows, the newest first; the last is that of the span. */
function* startsOf({ start }: TimeSpan, quarters: Quarter[]): Generator<Date> {
  let hits = 0
  for (const { bucket, hits: more } of quarters.toSorted((a, b) => b.bucket - a.bucket)) {
    hits += more
    if (hits < BLOCK_ROWS / 2 || bucket <= start.getTime()) continue
    yield new Date(bucket)
    hits = 0
  }
  yield start
}
