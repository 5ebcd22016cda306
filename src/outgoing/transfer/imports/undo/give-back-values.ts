import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { DAY_MS } from '../../../../platform/lib/time.ts'
import type { UndoTask } from '../import-kind.ts'
import { importedSpan } from './imported-span.ts'

const selectDays = query<{ siteNo: number; start: Date; end: Date }, { start: Date }>(
  'select-days-of-values',
  `select distinct day::timestamp at time zone 'UTC' as start
  from daily_values
  where site_no = :siteNo::int
    and day >= (:start::timestamptz at time zone 'UTC')::date and day <= (:end::timestamptz at time zone 'UTC')::date
  order by start`,
)

/** Returns no row for a day that `details_from` cuts or that is before it: sets of hits that are gone would shrink. */
const lockDay = query<{ siteNo: number; start: Date }, { kind: string }>(
  'lock-day-of-values',
  `select kind
  from daily_values
  join sites using (site_no)
  where site_no = :siteNo::int and day = (:start::timestamptz at time zone 'UTC')::date
    and (details_from is null or details_from <= :start::timestamptz)
  order by kind
  for update of daily_values`,
)

const rebuildDailyValues = query<{ siteNo: number; start: Date; end: Date }>('rebuild-daily-values')

/**
 * Names of events, keys of properties and errors of the import leave their place among the first ones of a day to hits that come later. Call it
 * after the hits are deleted and before the visitors are: their times say which days to look at.
 *
 * Hits are stored meanwhile. One with a new value of the day waits for the lock of its set, or was stored before it: the set is read again, and
 * its hits are seen, since the lock is a statement of its own. One whose value was in the set when its transaction looked is stored with it,
 * also when the set loses that value now: then one more value than the limit fits in the day, as with values that a process still remembers.
 */
export async function giveBackValues(db: Db, task: UndoTask): Promise<void> {
  const { siteNo, turn } = task
  const span = await importedSpan(db, task)
  if (!span) return
  for (const { start } of await selectDays(db, { siteNo, ...span })) {
    await turn.pass()
    const day = { siteNo, start, end: new Date(start.getTime() + DAY_MS) }
    await db.begin(async tx => {
      if ((await lockDay(tx, day)).length > 0) await rebuildDailyValues(tx, day)
    })
  }
}
