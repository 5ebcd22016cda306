import { type Db, inSnapshot, statement, type Transaction } from '../../infra/db.ts'
import type { RolledUpDay } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { decodeValues, encodeValues } from './codec.ts'
import { PROPERTIES, ROLLED_UP_DIMENSIONS } from './dimensions.ts'
import { DEFAULT_LIMITS, mergeTally, type RollupLimits, type Values } from './merge-counts.ts'
import { findSpans } from './round.ts'
import {
  countSliceHits,
  countSliceSessions,
  countSliceValues,
  rolledUpSlice,
  sliceSince,
  type Tally,
} from './row-slice.ts'
import { numbersOf } from './value-dictionary.ts'

/** First of the two keys of a site's advisory lock; the second one is the site's number. */
const ROLLUP_LOCKS = 7_116_504

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
}

interface StoredValues {
  dimension: string
  counts: Buffer | null
  visitors: Buffer | null
}

const lockRollups = statement('lock-daily-rollups')
const findDailyRollup = statement<StoredRollup>('find-daily-rollup')
const findDailyValueRollups = statement<StoredValues>('find-daily-value-rollups')
const planOnce = statement('plan-once')
const upsertDailyRollup = statement('upsert-daily-rollup')
const upsertDailyValueRollup = statement('upsert-daily-value-rollup')
const deleteDailyValueRollups = statement('delete-daily-value-rollups')
const deleteRollups = statement('delete-daily-rollups')
const deleteDirty = statement('delete-dirty')

/**
 * Brings the rollup of a day up to `rolledUpTo`. Adds new rows to an existing rollup; builds it from raw rows when there is
 * none or `isAnew` is set. A change during the run leaves a mark, and that mark stays. Only one call a site may run at a time.
 * If two calls run anyway, for example after a lease was lost, the call that finishes second writes nothing.
 */
export async function rollUpDay(db: Db, day: RolledUpDay, limits = DEFAULT_LIMITS): Promise<undefined> {
  const { siteNo, start, end, rolledUpTo, isAnew, marks } = day
  const [stored] = await findDailyRollup(db, siteNo, new Date(start), new Date(end))
  const old = isAnew ? undefined : stored
  const slice = old ? sliceSince(day, old.rolledUpTo, rolledUpTo) : rolledUpSlice(day, rolledUpTo)
  const [, hits, sessions, tally] = await inSnapshot(db, tx =>
    Promise.all([
      planOnce(tx),
      countSliceHits(tx, siteNo, slice),
      countSliceSessions(tx, siteNo, slice),
      countSliceValues(tx, siteNo, slice, ROLLED_UP_DIMENSIONS),
    ]),
  )
  const before =
    old && tally.size > 0 ? await readValues(db, day, [...tally.keys()]) : new Map<string, Values>()
  await db.begin(async tx => {
    await lockRollups(tx, ROLLUP_LOCKS, siteNo)
    const [span] = await findSpans(tx, [siteNo])
    const [present] = await findDailyRollup(tx, siteNo, new Date(start), new Date(end))
    if (span?.rolledUpZone !== day.zone || present?.stamp !== stored?.stamp) return
    const numbers = await numberValues(tx, siteNo, tally, limits)
    if (!old) await deleteDailyValueRollups(tx, siteNo, new Date(start), new Date(end))
    const written: Promise<unknown>[] = []
    for (const [dimension, values] of mergeTally(before, tally, numbers, limits)) {
      const bytes = values && encodeValues(values)
      const counts = bytes?.counts ?? null
      const visitors = bytes?.visitors ?? null
      written.push(
        upsertDailyValueRollup(tx, siteNo, dimension, new Date(start), new Date(end), counts, visitors),
      )
    }
    await Promise.all(written)
    await upsertDailyRollup(
      tx,
      siteNo,
      new Date(start),
      new Date(end),
      new Date(rolledUpTo),
      (old?.pageviews ?? 0) + hits.pageviews,
      (old?.customEvents ?? 0) + hits.customEvents,
      (old?.sessions ?? 0) + sessions.sessions,
      (old?.bounces ?? 0) + sessions.bounces,
      (old?.durationMs ?? 0) + sessions.durationMs,
      addVisitors(old?.visitors, hits.visitors),
    )
    await deleteDirty(
      tx,
      'daily_rollups',
      marks.map(() => siteNo),
      marks.map(mark => mark.bucket),
      marks.map(mark => mark.version),
    )
  })
}

/** Deletes all rollups of a site. */
export function forgetRollups(db: Db, siteNo: number): Promise<unknown> {
  return db.begin(async tx => {
    await lockRollups(tx, ROLLUP_LOCKS, siteNo)
    await deleteRollups(tx, siteNo)
  })
}

function addVisitors(before: Buffer | undefined, numbers: Uint32Array): Buffer {
  const visitors = VisitorSet.from(before)
  visitors.add(numbers)
  const bytes = visitors.serialize()
  visitors.free()
  return bytes
}

async function readValues(db: Db, day: RolledUpDay, dimensions: string[]): Promise<Map<string, Values>> {
  const rows = await findDailyValueRollups(db, day.siteNo, new Date(day.start), new Date(day.end), [
    ...dimensions,
    PROPERTIES,
  ])
  return new Map(
    rows.map(({ dimension, counts, visitors }) => [dimension, counts && decodeValues(counts, visitors!)]),
  )
}

function numberValues(
  tx: Transaction,
  siteNo: number,
  tally: Tally,
  limits: RollupLimits,
): Promise<Map<string, number>> {
  const texts = new Set<string>()
  for (const values of tally.values()) {
    if (values.size <= limits.values) for (const value of values.keys()) texts.add(value)
  }
  return numbersOf(tx, siteNo, [...texts], { isNaming: true })
}
