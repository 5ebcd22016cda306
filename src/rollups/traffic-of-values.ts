import { type Db, inSnapshot, type Queryable } from '../db/connect.ts'
import { type DayRange, dayRangesOf } from './daily/coverage.ts'
import { type RangeValues, readEntries, readRanges } from './daily/range-values.ts'
import { keysOf } from './daily/rank-values.ts'
import { lengthOf, readCoverages } from './daily/read-coverage.ts'
import { cacheOf } from './daily/rollup-cache.ts'
import { countSliceValues, type RowSlice } from './daily/row-slice.ts'
import { countTogether, type DistinctVisitors, uniteDays } from './daily/visitor-set.ts'
import {
  NO_TRAFFIC,
  type SessionValues,
  type Tasks,
  type TrafficPart,
  type TrafficTotals,
  type Window,
} from './protocol.ts'

/** Each slice of rows is a statement. With more of them, one statement over the rows of all windows takes less time. */
const MOST_SLICES = 8
/** Slices count all values of the dimension: of more hits than these, one statement that counts only the wanted values is faster. */
const MOST_ROWS_MS = 2 * 3_600_000

/** Of a series. Their rollups are in memory together, with the visitors of all values. */
const MOST_DAYS = 400

type Additive = Omit<TrafficTotals, 'visitors'>

/** Counts of one value in rollups or in rows. */
interface Counted {
  counts: Additive
  visitors: DistinctVisitors
}

/** What the traffic of a window is added up from. */
interface WindowParts {
  rolledUp: Counted[]
  rows: Counted[]
}

/** Returns the totals of each window, of sessions with one of the values. A session has one value, so that values add up. */
export function countTrafficOfValues(
  db: Db,
  { windows, parts, ...of }: Tasks['countTrafficOfValues']['input'],
): Promise<Tasks['countTrafficOfValues']['output']> {
  return inSnapshot(db, async tx => {
    const read = await readWindows(db, tx, of, windows)
    return read?.map(each => addUp([...each.rolledUp, ...each.rows], parts)) ?? null
  })
}

/** @returns undefined when too much is not rolled up, or a day has more values than a rollup holds */
async function readWindows(
  db: Db,
  tx: Queryable,
  { siteNo, dimension, values }: SessionValues,
  windows: readonly Window[],
): Promise<WindowParts[] | undefined> {
  if (windows.length === 0) return []
  const coverages = await readCoverages(tx, siteNo, windows, {})
  if (!coverages) return undefined
  const slices = coverages.flatMap(coverage => coverage.slices)
  if (slices.length > MOST_SLICES || lengthOf(slices.filter(isWhole)) > MOST_ROWS_MS) return undefined
  const ranges = coverages.map(({ rollups }) => dayRangesOf(rollups))
  const [keys, counted] = await Promise.all([
    keysOf(tx, siteNo, values),
    Promise.all(slices.map(slice => countSliceValues(tx, siteNo, slice, [dimension]))),
  ])
  const valueIds = keys.filter(key => typeof key === 'number')
  const read = windows.length === 1 ? readCached : readUncached
  const rolledUp = await read(db, tx, { siteNo, dimension }, ranges.flat(), valueIds)
  if (!rolledUp) return undefined
  const rowsOf = new Map(slices.map((slice, index) => [slice, counted[index]!.get(dimension)]))
  return coverages.map((coverage, index) => ({
    rolledUp: ranges[index]!.flatMap(range => rolledUp.get(range) ?? []),
    rows: coverage.slices.flatMap(slice =>
      values.flatMap(value => {
        const found = rowsOf.get(slice)?.get(value)
        return found ? [{ counts: found.counts, visitors: listOf(found.visitors) }] : []
      }),
    ),
  }))
}

/** A slice of rows of which no rollup holds any. */
const isWhole = ({ closedFrom }: RowSlice) => closedFrom === null

const listOf = (numbers: Uint32Array): DistinctVisitors => ({ size: numbers.length, numbers })

type Read = (
  db: Db,
  tx: Queryable,
  of: Pick<SessionValues, 'siteNo' | 'dimension'>,
  ranges: readonly DayRange[],
  valueIds: readonly number[],
) => Promise<Map<DayRange, Counted[]> | undefined>

const readCached: Read = async (db, tx, of, ranges, valueIds) => {
  const reader = await readRanges({ tx, cache: cacheOf(db), ...of }, ranges, { withVisitors: true })
  await reader?.loadVisitors(valueIds)
  return reader && new Map(ranges.map((range, index) => [range, entriesIn(reader.all[index]!, valueIds)]))
}

function entriesIn(values: RangeValues, valueIds: readonly number[]): Counted[] {
  return valueIds.flatMap(valueId => {
    const entry = values.find(valueId)
    if (entry === -1) return []
    const count = (column: keyof Additive) => values.columns[column]?.[entry] ?? 0
    const counts = {
      pageviews: count('pageviews'),
      customEvents: count('customEvents'),
      sessions: count('sessions'),
      bounces: count('bounces'),
      durationMs: count('durationMs'),
    }
    return [{ counts, visitors: values.visitorsAt(entry) ?? listOf(new Uint32Array()) }]
  })
}

const readUncached: Read = async (_db, tx, of, ranges, valueIds) => {
  if (ranges.flat().length > MOST_DAYS) return undefined
  const found = await readEntries({ tx, ...of }, ranges, valueIds)
  if (!found) return undefined
  return new Map(
    [...found].map(([range, entries]) => [
      range,
      entries.map(({ counts, visitors }) => ({ counts, visitors: uniteDays([visitors]) })),
    ]),
  )
}

function addUp(all: readonly Counted[], parts: readonly TrafficPart[]): TrafficTotals {
  const sum = (column: keyof Additive) => all.reduce((total, { counts }) => total + counts[column], 0)
  return {
    ...NO_TRAFFIC,
    ...(parts.includes('hits') && {
      pageviews: sum('pageviews'),
      customEvents: sum('customEvents'),
      visitors: countTogether(all.map(({ visitors }) => visitors)),
    }),
    ...(parts.includes('sessions') && {
      sessions: sum('sessions'),
      bounces: sum('bounces'),
      durationMs: sum('durationMs'),
    }),
  }
}
