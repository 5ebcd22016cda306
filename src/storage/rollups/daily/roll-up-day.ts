import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { inSnapshot } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DIMENSIONS_HASH, ROLLED_UP_DIMENSIONS } from '../../../platform/dimensions/rolled-up.ts'
import { removeMarks } from '../dirty.ts'
import { datesOf, type RolledUpDay, type TrafficTotals } from '../protocol.ts'
import { countDay, countDayValues } from './count-rows.ts'
import {
  addValueIds,
  type DayKey,
  DEFAULT_LIMITS,
  deleteDailyValueRollups,
  valuesToStore,
  writeValues,
} from './day-values.ts'
import { serializeVisitors } from './visitor-set.ts'

/** Blocks other writers of rollups of the site until the transaction ends. */
export const lockRollups = query<{ lock: number; siteNo: number }>(
  'lock-daily-rollups',
  'select pg_advisory_xact_lock(:lock::int, :siteNo::int)',
)

/**
 * Returns the first rolled-up moment of sites, the time zone of their days, and from when on they have details (null: always).
 * Sites without rollups are left out.
 */
export const findSpans = query<
  { siteNos: readonly number[] },
  { siteNo: number; rolledUpZone: string; rolledUpFrom: Date; detailsFrom: Date | null }
>(
  'find-rollup-spans',
  `
  select
    site_no as "siteNo",
    rollup_spans.timezone as "rolledUpZone",
    rolled_up_from as "rolledUpFrom",
    details_from as "detailsFrom"
  from rollup_spans
  left join sites using (site_no)
  where site_no = any(:siteNos::int[])`,
)

/** Changes with every write of a rollup. */
const findStamp = query<DayKey, { stamp: string }>(
  'find-daily-rollup',
  `select xmin::text as stamp
  from daily_rollups
  where site_no = :siteNo::int and starts_at = :start::timestamptz and ends_at = :end::timestamptz`,
)

/**
 * Sets options for the rest of the transaction: statements are planned once for each connection, and the chunks they touch are
 * selected at execution. To plan each call, compile it with JIT or start parallel workers takes longer than to run it.
 */
export const planOnce = query(
  'plan-once',
  `
  select
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('max_parallel_workers_per_gather', '0', true),
    set_config('work_mem', '32MB', true),
    set_config('jit', 'off', true)`,
)

const upsertDailyRollup = query<
  DayKey & Omit<TrafficTotals, 'visitors'> & { types: string; visitors: Buffer; dimensionsHash: string }
>('upsert-daily-rollup')

const deleteRollups = query<{ siteNo: number }>(
  'delete-daily-rollups',
  `
  with
    gone_days as (delete from daily_rollups where site_no = :siteNo::int),
    gone_values as (delete from daily_value_rollups where site_no = :siteNo::int)
  delete from rollup_spans where site_no = :siteNo::int`,
)

/**
 * Rolls up a day from its rows, in place of the rollup that is there. A change during the run leaves a mark, and that mark stays.
 * Only one call a site may run at a time. If two calls run anyway, for example after a lease was lost, the call that finishes
 * second writes nothing. A day before the site's details_from is never written again: its rows are gone.
 */
export async function rollUpDay(db: Db, day: RolledUpDay, limits = DEFAULT_LIMITS): Promise<undefined> {
  const { siteNo, marks, zone } = day
  const key: DayKey = { siteNo, ...datesOf(day) }
  const [stored] = await findStamp(db, key)
  const { totals, byDimension } = await inSnapshot(db, async tx => {
    await planOnce(tx)
    const totals = await countDay(tx, siteNo, day)
    return { totals, byDimension: await countDayValues(tx, siteNo, day, ROLLED_UP_DIMENSIONS, zone) }
  })
  await db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    const [span] = await findSpans(tx, { siteNos: [siteNo] })
    const changed = marks.map(({ bucket, version }) => ({ siteNo, bucket: new Date(bucket), version }))
    if (span?.detailsFrom && day.start < span.detailsFrom.getTime()) {
      await removeMarks(tx, 'daily_rollups', changed)
      return
    }
    const [present] = await findStamp(tx, key)
    if (span?.rolledUpZone !== zone || present?.stamp !== stored?.stamp) return
    const valueIds = await addValueIds(tx, siteNo, byDimension, limits)
    await deleteDailyValueRollups(tx, key)
    for (const [dimension, values] of valuesToStore(byDimension, valueIds, limits)) {
      await writeValues(tx, key, dimension, values)
    }
    const { types, visitors, ...ofSessions } = totals
    await upsertDailyRollup(tx, {
      ...key,
      ...ofSessions,
      pageviews: types.pageview ?? 0,
      customEvents: types.event ?? 0,
      types: JSON.stringify(types),
      visitors: serializeVisitors(visitors),
      dimensionsHash: DIMENSIONS_HASH,
    })
    await removeMarks(tx, 'daily_rollups', changed)
  })
}

/** Deletes all rollups of a site; columns then count its days. */
export function forgetRollups(db: Db, siteNo: number): Promise<unknown> {
  return db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    await deleteRollups(tx, { siteNo })
  })
}
