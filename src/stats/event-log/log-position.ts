import { BLOCK_ROWS } from '../../schema/download.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { Quarter } from '../metrics/page-range.ts'

type Key = { at: Date; id: string }

/** Where a download of the log is: its time windows lead from the newest hit to the oldest, without a gap. */
export interface LogPosition {
  total: number
  isAtEnd: boolean
  /** Where the next block is to be read. */
  next(): { window: { start: Date; end: Date }; after: Key | undefined }
  /** Notes which rows the block had. */
  passed(rows: Key[]): void
}

/**
 * Returns the position before the newest hit.
 * @param quarters the hits to expect: each window has about as many as a block. More or fewer are read all the same
 */
export function startOfLog(span: TimeSpan, quarters: Quarter[]): LogPosition {
  const starts = [...startsOf(span, quarters)]
  let end = span.end
  let after: Key | undefined
  return {
    total: quarters.reduce((sum, { hits }) => sum + hits, 0),
    isAtEnd: false,
    next: () => ({ window: { start: starts[0]!, end }, after }),
    passed(rows) {
      const last = rows.at(-1)
      if (rows.length === BLOCK_ROWS) {
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
