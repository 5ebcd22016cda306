import { dayOf, startOfDay } from '../../../platform/time/local-time.ts'
import type { HitSpan } from './read-hits.ts'

interface ExportSite {
  siteNo: number
  timezone: string
  /** Details of the site before it are gone; null: none. */
  detailsFrom: Date | null
}

/** First and last day, `Y-m-d` in the zone of the site, both included. */
export interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** Before every hit. */
const EARLIEST = new Date(0)

/**
 * Returns the time whose hits an export has: up to its start, so that what is received while it runs is in the next one.
 * @param now start of the export
 */
export function spanOf(
  { siteNo, timezone, detailsFrom }: ExportSite,
  { from, to }: Days,
  now: Date,
): HitSpan & { isWhole: boolean } {
  const first = from === undefined ? EARLIEST : new Date(startOfDay(timezone, dayOf(from)))
  const end = to === undefined ? now : new Date(startOfDay(timezone, dayOf(to) + 1))
  return {
    siteNo,
    start: detailsFrom && detailsFrom > first ? detailsFrom : first,
    end: end < now ? end : now,
    isWhole: from === undefined && to === undefined,
  }
}
