import { MINUTE_MS } from '../../lib/time.ts'
import type { PageWindow } from './rank.ts'

/** Total number of rows, and the time range that contains the rows of a page. */
export interface PageRange {
  total: number
  /** Half-open; both null when no row is on the page. */
  start: Date | null
  end: Date | null
  /** Number of the newest rows in this time range that belong to earlier pages. */
  skipped: number | null
}

/** Rows of a 15-minute bucket that begins at `bucket`, Unix milliseconds. */
export interface Quarter {
  bucket: number
  hits: number
}

const QUARTER_MS = 15 * MINUTE_MS

/** Does the same as `locate-filtered-log-page.sql`, from the counts of all slices. */
export function pageRangeOf(quarters: Quarter[], { limit, offset }: PageWindow): PageRange {
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
