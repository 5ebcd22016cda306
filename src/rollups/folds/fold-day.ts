import { type Db, statement, type Transaction } from '../../infra/db.ts'
import type { FoldedDay } from '../protocol.ts'
import { VisitorSet } from '../visitor-set.ts'
import { decodeValues, encodeValues, type FoldedValue, noCounts } from './codec.ts'
import { FOLDED_DIMENSIONS, PROPERTIES } from './dimensions.ts'
import {
  addCounts,
  countPortionHits,
  countPortionSessions,
  countPortionValues,
  foldedPortion,
  portionSince,
  type Tallied,
  type Tally,
} from './portion.ts'
import { numbersOf } from './texts.ts'

export interface FoldLimits {
  /** A dimension that has more values on a day is not folded: there is nothing to add up then, and reading hits is as fast. */
  values: number
  /** Types and names of events that are folded by their properties; on a day with more none is. */
  events: number
}
const LIMITS: FoldLimits = { values: 50_000, events: 500 }
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

/** What is written of a dimension; null where it has too many values. */
type Values = FoldedValue[] | null

const lockFolds = statement('lock-folds')
const findSpans = statement<{ foldedZone: string }>('find-fold-spans')
const findDayFold = statement<StoredFold>('find-day-fold')
const findValueFolds = statement<StoredValues>('find-value-folds')
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
export async function foldDay(db: Db, day: FoldedDay, limits = LIMITS): Promise<undefined> {
  const { siteNo, start, end, foldedTo, isAnew, marks } = day
  const [stored] = await findDayFold(db, siteNo, new Date(start), new Date(end))
  const old = isAnew ? undefined : stored
  const portion = old ? portionSince(day, old.foldedTo, foldedTo) : foldedPortion(day, foldedTo)
  const [hits, sessions, tally] = await Promise.all([
    countPortionHits(db, siteNo, portion),
    countPortionSessions(db, siteNo, portion),
    countPortionValues(db, siteNo, portion, FOLDED_DIMENSIONS),
  ])
  const before =
    old && tally.size > 0 ? await readValues(db, day, [...tally.keys()]) : new Map<string, Values>()
  await db.begin(async tx => {
    await lockFolds(tx, FOLD_LOCKS, siteNo)
    const [span] = await findSpans(tx, [siteNo])
    const [present] = await findDayFold(tx, siteNo, new Date(start), new Date(end))
    if (span?.foldedZone !== day.zone || present?.stamp !== stored?.stamp) return
    const numbers = await numberValues(tx, siteNo, tally, limits)
    if (!old) await deleteValueFolds(tx, siteNo, new Date(start), new Date(end))
    for (const [dimension, values] of mergeAll(before, tally, numbers, limits)) {
      const bytes = values && encodeValues(values)
      await upsertValueFold(
        tx,
        siteNo,
        dimension,
        new Date(start),
        new Date(end),
        bytes?.counts ?? null,
        bytes?.visitors ?? null,
      )
    }
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

/** What the dimensions that were counted hold now. */
function* mergeAll(
  before: Map<string, Values>,
  tally: Tally,
  numbers: Map<string, number>,
  limits: FoldLimits,
): Generator<[string, Values]> {
  const events = [...tally.keys()].filter(isOfProperties)
  const hasTooMany = before.has(PROPERTIES) || events.length > limits.events
  if (hasTooMany && !before.has(PROPERTIES)) yield [PROPERTIES, null]
  for (const [dimension, values] of tally) {
    if (hasTooMany && isOfProperties(dimension)) continue
    const old = before.get(dimension)
    if (old === null) continue
    yield [dimension, merge(old ?? [], values, numbers, limits)]
  }
}

const isOfProperties = (dimension: string) => dimension.startsWith(`${PROPERTIES}/`)

function merge(
  old: FoldedValue[],
  added: Map<string, Tallied>,
  numbers: Map<string, number>,
  limits: FoldLimits,
): Values {
  const merged = new Map(old.map(value => [value.textNo, value]))
  if (added.size > limits.values) return null
  for (const [value, { counts, visitors }] of added) {
    const textNo = numbers.get(value)!
    const into = merged.get(textNo) ?? { textNo, counts: noCounts(), visitors: new Uint32Array() }
    addCounts(into.counts, counts)
    into.visitors = union(into.visitors, visitors)
    into.counts.visitors = into.visitors.length
    merged.set(textNo, into)
  }
  return merged.size > limits.values ? null : [...merged.values()]
}

/** Distinct numbers, ascending. */
function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  both.sort()
  let size = 0
  for (const number of both) if (size === 0 || both[size - 1] !== number) both[size++] = number
  return both.slice(0, size)
}
