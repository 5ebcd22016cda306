import { BLOCK_ROWS } from '../../schema/download.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { Quarter } from '../metrics/page-range.ts'

/** When a row is, and what orders rows of that time. */
interface Key<Id> {
  at: Date
  id: Id
}

/** Where a download of a list by time is: its time windows lead from the newest row to the oldest, without a gap. */
export interface LogPosition<Id extends string | number = string> {
  total: number
  isAtEnd: boolean
  /** Where the next block is to be read. */
  next(): { window: { start: Date; end: Date }; after: Key<Id> | undefined }
  /** Notes which rows were read: fewer than `most` are all of the window. */
  passed(rows: Key<Id>[]): void
}

/**
 * Returns the position before the newest row.
 * @param quarters the rows to expect: each window has about as many as are read at once. More or fewer are read all the same
 * @param most rows that are read at once
 */
export function startOfLog<Id extends string | number = string>(
  span: TimeSpan,
  quarters: Quarter[],
  most: number = BLOCK_ROWS,
): LogPosition<Id> {
  const starts = [...startsOf(span, quarters, most)]
  let end = span.end
  let after: Key<Id> | undefined
  return {
    total: quarters.reduce((sum, { hits }) => sum + hits, 0),
    isAtEnd: false,
    next: () => ({ window: { start: starts[0]!, end }, after }),
    passed(rows) {
      const last = rows.at(-1)
      if (rows.length === most) {
        after = { at: last!.at, id: last!.id }
        // The hits of that millisecond with smaller ids follow.
        end = new Date(last!.at.getTime() + 1)
        return
      }
      end = starts.shift()!
      after = undefined
      this.isAtEnd = starts.length === 0
    },
  }
}

/** Starts of the windows, the newest first; the last is that of the span. */
function* startsOf({ start }: TimeSpan, quarters: Quarter[], most: number): Generator<Date> {
  let hits = 0
  for (const { bucket, hits: more } of quarters.toSorted((a, b) => b.bucket - a.bucket)) {
    hits += more
    if (hits < most / 2 || bucket <= start.getTime()) continue
    yield new Date(bucket)
    hits = 0
  }
  yield start
}
