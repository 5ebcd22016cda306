import { MINUTE_MS } from '../../lib/time.ts'

/** What a statement reads to find rows by their times: each stretch is read whole. */
export interface Stretches {
  /** Starts and ends of stretches, both included. */
  froms: Date[]
  tos: Date[]
  /** Ends of all together: chunks beyond are left out. */
  first: Date
  last: Date
}

/**
 * Times that are closer lie in one stretch. In the columnstore, looking up one time takes as long as reading a thousand rows that lie side
 * by side; a site with fewer rows a minute is read faster this way, and a list without gaps is one stretch.
 */
const GAP_MS = MINUTE_MS

/**
 * Divides the times of rows into stretches without long gaps.
 * @param times not none, the newest first, Unix milliseconds
 */
export function stretchesOf(times: ArrayLike<number>): Stretches {
  const froms: number[] = []
  const tos = [times[0]!]
  for (let index = 1; index < times.length; index++) {
    if (times[index - 1]! - times[index]! <= GAP_MS) continue
    froms.push(times[index - 1]!)
    tos.push(times[index]!)
  }
  froms.push(times[times.length - 1]!)
  const dates = (list: number[]) => list.map(at => new Date(at))
  return { froms: dates(froms), tos: dates(tos), first: new Date(froms.at(-1)!), last: new Date(tos[0]!) }
}
