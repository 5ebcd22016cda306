import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { Window } from '../protocol.ts'
import { readWatermark } from '../watermarks.ts'
import { readDailyRollups } from './coverage.ts'
import { dayAround, daysFrom } from './roll-up-again.ts'

const findDays = query<
  { siteNo: number },
  { timezone: string; firstAt: number | null; detailsFrom: number | null }
>(
  'find-days-of-site',
  `select
    timezone, (extract(epoch from first_event_at) * 1000)::bigint as "firstAt",
    (extract(epoch from details_from) * 1000)::bigint as "detailsFrom"
  from sites
  where site_no = :siteNo::int`,
)

/** Returns the share of the whole days of a window that are rolled up, of those that the scheduler rolls up: from 0 to 1, 1 without any. */
export async function shareRolledUp(tx: Queryable, siteNo: number, window: Window): Promise<number> {
  const [[site], [state]] = await Promise.all([
    findDays(tx, { siteNo }),
    readWatermark(tx, { aggregate: 'daily_rollups' }),
  ])
  if (!site?.firstAt) return 1
  const { timezone, firstAt, detailsFrom } = site
  const from = Math.max(window.start, dayAround(timezone, firstAt).start, detailsFrom ?? window.start)
  const until = Math.min(window.end, state?.watermark ?? window.end)
  const days = [...daysFrom(timezone, from, until)].filter(({ end }) => end <= until)
  if (days.length === 0) return 1
  const rollups = (await readDailyRollups(tx, [siteNo], window)).get(siteNo)!
  const ends = new Map(rollups.map(({ start, end }) => [start, end]))
  return days.filter(({ start, end }) => ends.get(start) === end).length / days.length
}
