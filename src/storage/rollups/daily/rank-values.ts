import { type Db, inSnapshot, type Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { HOUR_OF_WEEK } from '../../../platform/dimensions/registry.ts'
import { PROPERTIES, readProperty } from '../../../platform/dimensions/rolled-up.ts'
import { type Changed, datesOf, type RankedValue, type Ranking, type Tasks } from '../protocol.ts'
import { type Column, noCounts } from './codec.ts'
import { coverWindows, isPresent, type WindowsCoverage } from './coverage.ts'
import { type RangeReader, readRanges } from './range-values.ts'
import { findSpans } from './roll-up-day.ts'
import { cacheOf, type RollupCache } from './rollup-cache.ts'
import { compareTexts, valueIdsOf } from './value-dictionary.ts'
import { ValueSums } from './value-sums.ts'
import { countTogether } from './visitor-set.ts'

/** Minimum number of values whose distinct visitors are counted at once, before checking if more are needed. */
const BATCH = 32

interface ServiceHits {
  name: string
  hits: number
}

const countServiceHits = query<{ siteNo: number; start: Date; end: Date }, ServiceHits>(
  'count-service-hits',
  `
  with details as materialized (
    select coalesce((select details_from from sites where site_no = :siteNo::int), '-infinity') as since
  )
  select name, sum(hits)::bigint as hits
  from (
    select name, count(*) as hits
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
      and at >= (select since from details)
    group by 1
    union all
    select kept.key, kept.value::bigint
    from kept_hit_buckets
    cross join lateral jsonb_each_text(service_events) as kept
    where site_no = :siteNo::int and bucket >= :start::timestamptz
      and bucket < least(:end::timestamptz, (select since from details))
  ) as counted
  group by 1`,
)

/**
 * Returns one page of a dimension's values in a window, and the total number of values. Events written by the service
 * count as hits of `event_name`. No properties rollup has them, so do not query properties of an event name that only
 * the service writes.
 */
export function rankValues(db: Db, ranking: Ranking): Promise<Tasks['rankValues']['output']> {
  return inSnapshot(db, async tx => {
    const { siteNo, window, dimension, by, shown, leavesOutEmpty, countsVisitors = false } = ranking
    const ranksVisitors = by.includes('visitors')
    const withVisitors = ranksVisitors || countsVisitors
    const countsNames = dimension === 'event_name' && by.includes('hits')
    const [summed, ofService, [empty]] = await Promise.all([
      sumValues(tx, cacheOf(db), ranking, withVisitors),
      countsNames ? countServiceHits(tx, { siteNo, ...datesOf(window) }) : [],
      leavesOutEmpty ? keysOf(tx, siteNo, ['']) : [],
    ])
    if (!(summed instanceof Object)) return summed
    const { sums } = summed
    if (countsNames) await addService(tx, siteNo, sums, ofService)
    const all = shownIn(sums, shown).filter(index => sums.keys[index] !== empty)
    const ranked = ranksVisitors ? await refine(summed, all, ranking.offset + ranking.limit) : all
    const rows = await pageOf(summed, ranked, { ...ranking, compareCounts: comparing(sums, by) })
    if (rows && countsVisitors) await setVisitors(tx, siteNo, summed, rows)
    return rows && { rows, total: all.length }
  })
}

/** Replaces the upper bound in `visitors` of the rows of a page with the number of distinct visitors. */
async function setVisitors(
  tx: Queryable,
  siteNo: number,
  summed: Summed,
  rows: RankedValue[],
): Promise<void> {
  const keys = await keysOf(
    tx,
    siteNo,
    rows.map(({ value }) => value),
  )
  const indexes = keys.map(key => summed.sums.indexOf(key))
  await countVisitors(summed, indexes)
  for (const [row, index] of indexes.entries()) rows[row]!.visitors = summed.sums.get(index, 'visitors')
}

/** Returns the indexes of the values for which one of the columns is greater than 0. */
export function shownIn(sums: ValueSums, columns: readonly Column[]): number[] {
  const shown: number[] = []
  sums.keys.forEach((_, index) => {
    if (columns.some(column => sums.get(index, column) > 0)) shown.push(index)
  })
  return shown
}

/** Compares the counts of two values column by column, descending. */
const comparing = (sums: ValueSums, columns: readonly Column[]) => (a: number, b: number) => {
  for (const column of columns) {
    const difference = sums.get(b, column) - sums.get(a, column)
    if (difference !== 0) return difference
  }
  return 0
}

/** Returns the counts of given values in a window; without `withVisitors`, `visitors` are 0. */
export function countValues(
  db: Db,
  { values, withVisitors = false, ...asked }: Tasks['countValues']['input'],
): Promise<Tasks['countValues']['output']> {
  return inSnapshot(db, async tx => {
    const [summed, keys] = await Promise.all([
      sumValues(tx, cacheOf(db), asked, withVisitors),
      keysOf(tx, asked.siteNo, values),
    ])
    if (!(summed instanceof Object)) return summed
    const { sums } = summed
    const indexes = keys.map(key => sums.indexOf(key))
    if (withVisitors) await countVisitors(summed, indexes)
    return indexes.map(index => ({ ...sums.countsAt(index), ...(!withVisitors && { visitors: 0 }) }))
  })
}

/** Adds the events written by the service to `hits` only; no other column counts them. */
async function addService(
  tx: Queryable,
  siteNo: number,
  sums: ValueSums,
  written: ServiceHits[],
): Promise<void> {
  const names = written.map(({ name }) => name)
  for (const [position, key] of (await keysOf(tx, siteNo, names)).entries()) {
    const index = sums.indexOf(key)
    sums.set(index, 'hits', sums.get(index, 'hits') + written[position]!.hits)
  }
}

/** Returns the value ids; a value that is not in the dictionary is its own key. */
export async function keysOf(tx: Queryable, siteNo: number, values: string[]): Promise<(number | string)[]> {
  const valueIds = await valueIdsOf(tx, siteNo, values, { addsMissing: false })
  return values.map(value => valueIds.get(value) ?? value)
}

/**
 * Returns the values that can be among the first `wanted` by visitors, and sets their exact visitor counts. The sum of daily
 * visitors is an upper bound and the most of one day a lower bound, so values far down the list are skipped.
 */
export async function refine(
  summed: Summed,
  all: readonly number[],
  wanted: number,
  order: 'asc' | 'desc' = 'desc',
): Promise<number[]> {
  const { sums } = summed
  const sign = order === 'desc' ? 1 : -1
  const bound = (index: number) =>
    order === 'desc' ? sums.get(index, 'visitors') : sums.leastVisitors(index)
  const bounds = new Map(all.map(index => [index, sign * bound(index)]))
  const ordered = all.toSorted((a, b) => bounds.get(b)! - bounds.get(a)!)
  const exact: number[] = []
  for (let next = 0; next < ordered.length; ) {
    const batch = ordered.slice(next, next + Math.max(BATCH, wanted - next))
    await countVisitors(summed, batch)
    exact.push(...batch)
    next = exact.length
    if (exact.length < wanted || next >= ordered.length) continue
    const last = exact.map(index => sign * sums.get(index, 'visitors')).toSorted((a, b) => b - a)[wanted - 1]!
    if (bounds.get(ordered[next]!)! < last) break
  }
  return exact
}

/** Replaces the upper bound in `visitors` with the number of distinct visitors. */
export async function countVisitors({ sums, ranges }: Summed, indexes: number[]): Promise<void> {
  const inexact = indexes.filter(index => !sums.hasExactVisitors(index))
  await ranges.loadVisitors(inexact.map(index => sums.keys[index]!))
  for (const index of inexact) {
    const visitors = ranges.visitorsOf(sums.keys[index]!)
    sums.set(index, 'visitors', countTogether(visitors, sums.restVisitors(index)))
  }
}

interface PageOrder extends Pick<Ranking, 'offset' | 'limit' | 'dimension'> {
  /** Compares two indexes; those with the same counts are ordered by value. */
  compareCounts: (a: number, b: number) => number
}

/**
 * Returns the rows of one page. Reads from the dictionary only values that are shown or tie with the first or last shown value.
 * @returns null when the value dictionary lacks one of the ids: the rollup of that day is damaged
 */
export async function pageOf(
  summed: Summed,
  all: readonly number[],
  { compareCounts, offset, limit, dimension }: PageOrder,
): Promise<RankedValue[] | null> {
  const ordered = all.toSorted(compareCounts)
  const page = ordered.slice(offset, offset + limit)
  if (page.length === 0) return []
  const first = ordered.findIndex(index => compareCounts(index, page[0]!) === 0)
  const last = ordered.findLastIndex(index => compareCounts(index, page.at(-1)!) === 0)
  const block = ordered.slice(first, last + 1)
  const valueAt = await valuesAt(summed, block)
  if (!valueAt) return null
  const compare = dimension.startsWith(PROPERTIES) ? compareProperties : compareTexts
  return block
    .map(index => ({ index, value: valueAt(index) }))
    .sort((a, b) => compareCounts(a.index, b.index) || compare(a.value, b.value))
    .slice(offset - first, offset - first + limit)
    .map(({ index, value }) => ({ ...summed.sums.countsAt(index), value }))
}

/**
 * Reads the values at some indexes; returns a function that gives the value of an index.
 * @returns null as for `pageOf`
 */
export async function valuesAt(
  { sums, ranges }: Summed,
  indexes: readonly number[],
): Promise<((index: number) => string) | null> {
  const valueIds = indexes.map(index => sums.keys[index]!).filter(key => typeof key === 'number')
  const values = await ranges.valuesOf(valueIds)
  if (valueIds.some(valueId => !values.has(valueId))) return null
  return index => {
    const key = sums.keys[index]!
    return typeof key === 'number' ? values.get(key)! : key
  }
}

/** Compares by key, then by value. */
function compareProperties(one: string, other: string): number {
  const [a, b] = [readProperty(one), readProperty(other)]
  return compareTexts(a.key, b.key) || compareTexts(a.value, b.value)
}

export interface Summed {
  sums: ValueSums
  /** The days that are included in `sums`. */
  ranges: RangeReader
}

/**
 * Sums the counts of each value of a dimension in a window, from rollups and from what columns have counted of the rest.
 * Requires a repeatable-read transaction: all statements must see the same snapshot.
 * @param withVisitors whether the caller will need the number of distinct visitors
 * @returns null when a day has more values than a rollup holds
 */
export async function sumValues(
  tx: Queryable,
  cache: RollupCache,
  { siteNo, dimension, covered, rest }: Pick<Ranking, 'siteNo' | 'dimension' | 'covered' | 'rest'>,
  withVisitors: boolean,
): Promise<Summed | Changed | null> {
  if (!(await isPresent(tx, siteNo, covered))) return 'changed'
  const days = covered.ranges.filter(range => range.length > 0)
  const ranges = await readRanges({ tx, cache, siteNo, dimension }, days, { withVisitors })
  if (!ranges) return null
  const sums = new ValueSums(ranges.all)
  const keys = await keysOf(
    tx,
    siteNo,
    rest.map(({ value }) => value),
  )
  for (const [index, { counts, visitors }] of rest.entries()) {
    sums.addRest(keys[index]!, { counts: { ...noCounts(), ...counts }, visitors })
  }
  return { sums, ranges }
}

/**
 * Returns how the values of a dimension in a window are read.
 * @param zone of the site; `hour_of_week` needs it
 */
export async function coverValues(
  tx: Queryable,
  {
    siteNo,
    window,
    dimension,
    zone,
  }: Pick<Ranking, 'siteNo' | 'window' | 'dimension'> & { zone?: string | undefined },
): Promise<WindowsCoverage> {
  const [span] = dimension === HOUR_OF_WEEK ? await findSpans(tx, { siteNos: [siteNo] }) : []
  // After a change of the zone, the rollups have the hours of the zone before until all are made anew.
  const readsRollups = dimension !== HOUR_OF_WEEK || span?.rolledUpZone === zone
  return coverWindows(tx, siteNo, [window], { readsRollups })
}
