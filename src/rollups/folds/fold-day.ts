import { type Db, inSnapshot, statement, type Transaction } from '../../infra/db.ts'
import type { FoldedDay } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { decodeValues, encodeValues } from './codec.ts'
import { FOLDED_DIMENSIONS, PROPERTIES } from './dimensions.ts'
import { DEFAULT_LIMITS, type FoldLimits, mergeTally, type Values } from './merge-tally.ts'
import {
  countPortionHits,
  countPortionSessions,
  countPortionValues,
  foldedPortion,
  portionSince,
  type Tally,
} from './portion.ts'
import { findSpans } from './round.ts'
import { numbersOf } from './texts.ts'

/** First of the two numbers of a site's advisory lock. */
const FOLD_LOCKS = 7_116_504

interface StoredFold {
  /** Another whenever the fold was written. */
  stamp: string
  foldedTo: number
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

const lockFolds = statement('lock-folds')
const findDayFold = statement<StoredFold>('find-day-fold')
const findValueFolds = statement<StoredValues>('find-value-folds')
const planOnce = statement('plan-once')
const upsertDayFold = statement('upsert-day-fold')
const upsertValueFold = statement('upsert-value-fold')
const deleteValueFolds = statement('delete-value-folds')
const deleteFolds = statement('delete-folds')
const deleteDirty = statement('delete-dirty')

/**
 * Makes the fold of a day hold everything up to `foldedTo`: adds what is new to it or, when asked or where it has
 * none yet, makes it from raw rows. What changes meanwhile leaves a mark, which stays. One at a time a site: of two all
 * the same, as when one has lost its lease without knowing, the one that is done later writes nothing.
 */
export async function foldDay(db: Db, day: FoldedDay, limits = DEFAULT_LIMITS): Promise<undefined> {
  const { siteNo, start, end, foldedTo, isAnew, marks } = day
  const [stored] = await findDayFold(db, siteNo, new Date(start), new Date(end))
  const old = isAnew ? undefined : stored
  const portion = old ? portionSince(day, old.foldedTo, foldedTo) : foldedPortion(day, foldedTo)
  const [, hits, sessions, tally] = await inSnapshot(db, tx =>
    Promise.all([
      planOnce(tx),
      countPortionHits(tx, siteNo, portion),
      countPortionSessions(tx, siteNo, portion),
      countPortionValues(tx, siteNo, portion, FOLDED_DIMENSIONS),
    ]),
  )
  const before =
    old && tally.size > 0 ? await readValues(db, day, [...tally.keys()]) : new Map<string, Values>()
  await db.begin(async tx => {
    await lockFolds(tx, FOLD_LOCKS, siteNo)
    const [span] = await findSpans(tx, [siteNo])
    const [present] = await findDayFold(tx, siteNo, new Date(start), new Date(end))
    if (span?.foldedZone !== day.zone || present?.stamp !== stored?.stamp) return
    const numbers = await numberValues(tx, siteNo, tally, limits)
    if (!old) await deleteValueFolds(tx, siteNo, new Date(start), new Date(end))
    const written: Promise<unknown>[] = []
    for (const [dimension, values] of mergeTally(before, tally, numbers, limits)) {
      const bytes = values && encodeValues(values)
      const counts = bytes?.counts ?? null
      const visitors = bytes?.visitors ?? null
      written.push(upsertValueFold(tx, siteNo, dimension, new Date(start), new Date(end), counts, visitors))
    }
    await Promise.all(written)
    await upsertDayFold(
      tx,
      siteNo,
      new Date(start),
      new Date(end),
      new Date(foldedTo),
      (old?.pageviews ?? 0) + hits.pageviews,
      (old?.customEvents ?? 0) + hits.customEvents,
      (old?.sessions ?? 0) + sessions.sessions,
      (old?.bounces ?? 0) + sessions.bounces,
      (old?.durationMs ?? 0) + sessions.durationMs,
      addVisitors(old?.visitors, hits.visitors),
    )
    await deleteDirty(
      tx,
      'folds',
      marks.map(() => siteNo),
      marks.map(mark => mark.bucket),
      marks.map(mark => mark.version),
    )
  })
}

/** Forgets everything that is folded of a site. */
export function forgetFolds(db: Db, siteNo: number): Promise<unknown> {
  return db.begin(async tx => {
    await lockFolds(tx, FOLD_LOCKS, siteNo)
    await deleteFolds(tx, siteNo)
  })
}

function addVisitors(before: Buffer | undefined, numbers: Uint32Array): Buffer {
  const visitors = VisitorSet.from(before)
  visitors.add(numbers)
  const bytes = visitors.serialize()
  visitors.free()
  return bytes
}

async function readValues(db: Db, day: FoldedDay, dimensions: string[]): Promise<Map<string, Values>> {
  const rows = await findValueFolds(db, day.siteNo, new Date(day.start), new Date(day.end), [
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
  limits: FoldLimits,
): Promise<Map<string, number>> {
  const texts = new Set<string>()
  for (const values of tally.values()) {
    if (values.size <= limits.values) for (const value of values.keys()) texts.add(value)
  }
  return numbersOf(tx, siteNo, [...texts], { isNaming: true })
}
