import { randomUUID } from 'node:crypto'
import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/connect.ts'
import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DIMENSIONS_HASH, ROLLED_UP_DIMENSIONS } from '../../dimensions/rolled-up.ts'
import { removeMarks } from '../dirty.ts'
import { datesOf, type RolledUpDay } from '../protocol.ts'
import {
  addValueIds,
  type DayKey,
  DEFAULT_LIMITS,
  deleteDailyValueRollups,
  mergeCounts,
  readValues,
  type Values,
  writeValues,
} from './day-values.ts'
import {
  countSliceHits,
  countSliceSessions,
  countSliceValues,
  rolledUpSlice,
  sliceSince,
} from './row-slice.ts'
import { addVisitors } from './visitor-set.ts'

interface StoredRollup {
  /** Changes with every write of the rollup. */
  stamp: string
  rolledUpTo: number
  pageviews: number
  customEvents: number
  sessions: number
  bounces: number
  durationMs: number
  visitors: Buffer
  dimensionsHash: string
  /** Changes when the day is rolled up again from its rows. */
  madeAnew: string | null
}

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

const findDailyRollup = query<DayKey, StoredRollup>(
  'find-daily-rollup',
  `
  select
    xmin::text as stamp,
    (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
    pageviews,
    custom_events as "customEvents",
    sessions,
    bounces,
    duration_ms::float8 as "durationMs",
    visitors,
    dimensions_hash as "dimensionsHash",
    made_anew as "madeAnew"
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

const upsertDailyRollup = query<DayKey & Omit<StoredRollup, 'stamp' | 'rolledUpTo'> & { rolledUpTo: Date }>(
  'upsert-daily-rollup',
)

const deleteRollups = query<{ siteNo: number }>(
  'delete-daily-rollups',
  `
  with
    gone_days as (delete from daily_rollups where site_no = :siteNo::int),
    gone_values as (delete from daily_value_rollups where site_no = :siteNo::int)
  delete from rollup_spans where site_no = :siteNo::int`,
)

/**
 * Brings the rollup of a day up to `rolledUpTo`. Adds new rows to an existing rollup; builds it from raw rows when there is
 * none, when it counts other dimensions, or when `isAnew` is set. A change during the run leaves a mark, and that mark stays.
 * Only one call a site may run at a time. If two calls run anyway, for example after a lease was lost, the call that finishes
 * second writes nothing. A day before the site's details_from is never written again: its rows are gone.
 */
export async function rollUpDay(db: Db, day: RolledUpDay, limits = DEFAULT_LIMITS): Promise<undefined> {
  const { siteNo, rolledUpTo, isAnew, marks } = day
  const key: DayKey = { siteNo, ...datesOf(day) }
  const [stored] = await findDailyRollup(db, key)
  const old = isAnew || stored?.dimensionsHash !== DIMENSIONS_HASH ? undefined : stored
  const slice = old ? sliceSince(day, old.rolledUpTo, rolledUpTo) : rolledUpSlice(day, rolledUpTo)
  const [hits, sessions, added] = await inSnapshot(db, async tx => {
    await planOnce(tx)
    return Promise.all([
      countSliceHits(tx, siteNo, slice),
      countSliceSessions(tx, siteNo, slice),
      countSliceValues(tx, siteNo, slice, ROLLED_UP_DIMENSIONS, { zone: day.zone }),
    ])
  })
  const before =
    old && added.size > 0 ? await readValues(db, key, [...added.keys()]) : new Map<string, Values>()
  await db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    const [span] = await findSpans(tx, { siteNos: [siteNo] })
    const changed = marks.map(({ bucket, version }) => ({ siteNo, bucket: new Date(bucket), version }))
    if (span?.detailsFrom && day.start < span.detailsFrom.getTime()) {
      await removeMarks(tx, 'daily_rollups', changed)
      return
    }
    const [present] = await findDailyRollup(tx, key)
    if (span?.rolledUpZone !== day.zone || present?.stamp !== stored?.stamp) return
    const valueIds = await addValueIds(tx, siteNo, added, limits)
    if (!old) await deleteDailyValueRollups(tx, key)
    const written: Promise<unknown>[] = []
    for (const [dimension, values] of mergeCounts(before, added, valueIds, limits)) {
      written.push(writeValues(tx, key, dimension, values))
    }
    await Promise.all(written)
    await upsertDailyRollup(tx, {
      ...key,
      rolledUpTo: new Date(rolledUpTo),
      pageviews: (old?.pageviews ?? 0) + hits.pageviews,
      customEvents: (old?.customEvents ?? 0) + hits.customEvents,
      sessions: (old?.sessions ?? 0) + sessions.sessions,
      bounces: (old?.bounces ?? 0) + sessions.bounces,
      durationMs: (old?.durationMs ?? 0) + sessions.durationMs,
      visitors: addVisitors(old?.visitors, hits.visitors),
      dimensionsHash: DIMENSIONS_HASH,
      madeAnew: old ? old.madeAnew : randomUUID(),
    })
    await removeMarks(tx, 'daily_rollups', changed)
  })
}

/** Deletes all rollups of a site; readers then count its days from raw rows. */
export function forgetRollups(db: Db, siteNo: number): Promise<unknown> {
  return db.begin(async tx => {
    await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
    await deleteRollups(tx, { siteNo })
  })
}
