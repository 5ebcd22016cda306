import type { Db } from '../../../db/connect.ts'
import { query } from '../../../db/query.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { inErasingTransaction } from '../../../people/erase/erasing-transaction.ts'
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

const rebuildDailyValues = query<{ siteNo: number; start: Date; end: Date }>('rebuild-daily-values')

/**
 * Names of events, keys of properties and errors of the import leave their place among the first ones of a day to hits that come later. Call it
 * after the hits are deleted and before the visitors are: their times say which days to look at.
 */
export async function giveBackValues(db: Db, task: UndoTask): Promise<void> {
  const { siteNo, signal } = task
  const span = await importedSpan(db, task)
  if (!span) return
  for (const { start } of await selectDays(db, { siteNo, ...span })) {
    signal?.throwIfAborted()
    const day = { siteNo, start, end: new Date(start.getTime() + DAY_MS) }
    await inErasingTransaction(db, siteNo, tx => rebuildDailyValues(tx, day))
  }
}
