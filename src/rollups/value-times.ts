import type { Db } from '../db/connect.ts'
import { inSnapshot } from '../db/connect.ts'
import { readErrorEnds } from './daily/read-error-ends.ts'
import { readTimes, type TimeCount } from './daily/read-times.ts'
import type { Tasks } from './protocol.ts'

/** Counts a value in the buckets that begin at `bounds`; the window ends the last one. */
export function countValueTimes(
  db: Db,
  { window, bounds, ...subject }: Tasks['countValueTimes']['input'],
): Promise<Tasks['countValueTimes']['output']> {
  return inSnapshot(db, async tx => {
    const times = await readTimes(tx, subject, window)
    if (!times) return null
    const counts = bounds.map(() => 0)
    for (const { at, count } of times) counts[bucketOf(bounds, at)]! += count
    return counts
  })
}

/** Returns the index of the last bound that is not after a time; 0 if all are. */
function bucketOf(bounds: readonly number[], at: number): number {
  let [low, high] = [0, bounds.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (bounds[middle]! <= at) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

/** Finds the times of a page of occurrences, the newest first. */
export function locateValueTimes(
  db: Db,
  { window, limit, offset, ...subject }: Tasks['locateValueTimes']['input'],
): Promise<Tasks['locateValueTimes']['output']> {
  return inSnapshot(db, async tx => {
    const times = await readTimes(tx, subject, window)
    return times ? pageOf(times, limit, offset) : null
  })
}

function pageOf(times: TimeCount[], limit: number, offset: number) {
  const page = { total: 0, times: [] as number[], skipped: 0 }
  for (const { at, count } of times.toSorted((a, b) => b.at - a.at)) {
    const before = page.total
    page.total += count
    if (page.total <= offset || before >= offset + limit) continue
    if (page.times.length === 0) page.skipped = offset - before
    if (page.times.at(-1) !== at) page.times.push(at)
  }
  return page
}

/** Finds when errors occurred first and last, ever. */
export function findErrorEnds(
  db: Db,
  { siteNo, ids }: Tasks['findErrorEnds']['input'],
): Promise<Tasks['findErrorEnds']['output']> {
  return inSnapshot(db, tx => readErrorEnds(tx, siteNo, ids))
}
