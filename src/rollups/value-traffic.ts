import { type Db, inSnapshot, type Queryable } from '../db/connect.ts'
import { dayRangesOf } from './daily/coverage.ts'
import { type RangeValues, readRanges } from './daily/range-values.ts'
import { keysOf } from './daily/rank-values.ts'
import { readCoverages } from './daily/read-coverage.ts'
import { cacheOf, type RollupCache } from './daily/rollup-cache.ts'
import { countSliceValues, type ValueCounts } from './daily/row-slice.ts'
import { countTogether } from './daily/visitor-set.ts'
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

const ALL: TrafficPart[] = ['hits', 'sessions']

/** What the traffic of a window is added up from. */
interface ValueParts {
  rolledUp: { counts: RangeValues; entry: number }[]
  rows: ValueCounts[]
}

/** Returns the totals of each window, of sessions with one of the values. A session has one value, so that values add up. */
export function countValueTraffic(
  db: Db,
  { windows, parts, ...of }: Tasks['countValueTraffic']['input'],
): Promise<Tasks['countValueTraffic']['output']> {
  return inSnapshot(db, async tx => {
    const read = await readWindows(tx, cacheOf(db), of, windows, { parts, mostSlices: MOST_SLICES })
    return read?.map(each => addUp(each, parts)) ?? null
  })
}

/** The same, with the parts that the totals were added up from. */
export function explainValueTraffic(
  db: Db,
  { window, buckets, ...of }: Tasks['explainValueTraffic']['input'],
): Promise<Tasks['explainValueTraffic']['output']> {
  return inSnapshot(db, async tx => {
    const cache = cacheOf(db)
    const read = await readWindows(tx, cache, of, [window], { parts: ALL, mostSlices: MOST_SLICES })
    const divided = read && (await readWindows(tx, cache, of, buckets, { parts: ALL }))
    if (!divided) return null
    const { rolledUp, rows } = read[0]!
    return {
      total: addUp(read[0]!, ALL),
      buckets: divided.map(each => addUp(each, ALL)),
      sources: {
        ...(rolledUp.length > 0 && { daily_rollups: addUp({ rolledUp, rows: [] }, ALL) }),
        ...(rows.length > 0 && { rows: addUp({ rolledUp: [], rows }, ALL) }),
      },
    }
  })
}

/**
 * @param options.mostSlices how many slices of rows may be counted besides rollups; without it, any number, however little is rolled up
 * @returns undefined when more would be needed, or a day has more values than a rollup holds
 */
async function readWindows(
  tx: Queryable,
  cache: RollupCache,
  { siteNo, dimension, values }: SessionValues,
  windows: readonly Window[],
  { parts, mostSlices }: { parts: readonly TrafficPart[]; mostSlices?: number },
): Promise<ValueParts[] | undefined> {
  if (windows.length === 0) return []
  const coverages = await readCoverages(tx, siteNo, windows, { readsAllRows: mostSlices === undefined })
  const slices = coverages?.flatMap(coverage => coverage.slices) ?? []
  if (!coverages || slices.length > (mostSlices ?? Number.POSITIVE_INFINITY)) return undefined
  const ranges = coverages.map(({ rollups }) => dayRangesOf(rollups))
  const withVisitors = parts.includes('hits')
  const [reader, keys, counted] = await Promise.all([
    readRanges({ tx, cache, siteNo, dimension }, ranges.flat(), { withVisitors }),
    keysOf(tx, siteNo, values),
    Promise.all(slices.map(slice => countSliceValues(tx, siteNo, slice, [dimension]))),
  ])
  if (!reader) return undefined
  if (withVisitors) await reader.loadVisitors(keys)
  const countsOf = new Map(ranges.flat().map((range, index) => [range, reader.all[index]!]))
  const rowsOf = new Map(slices.map((slice, index) => [slice, counted[index]!.get(dimension)]))
  return coverages.map((coverage, index) => ({
    rolledUp: ranges[index]!.flatMap(range => entriesOf(countsOf.get(range)!, keys)),
    rows: coverage.slices.flatMap(slice => values.flatMap(value => rowsOf.get(slice)?.get(value) ?? [])),
  }))
}

/** A text is the key of a value that no rollup has. */
const entriesOf = (counts: RangeValues, keys: readonly (number | string)[]) =>
  keys.flatMap(key => {
    const entry = typeof key === 'number' ? counts.find(key) : -1
    return entry === -1 ? [] : [{ counts, entry }]
  })

function addUp({ rolledUp, rows }: ValueParts, parts: readonly TrafficPart[]): TrafficTotals {
  const sum = (column: Exclude<keyof TrafficTotals, 'visitors'>) =>
    rolledUp.reduce((total, { counts, entry }) => total + (counts.columns[column]?.[entry] ?? 0), 0) +
    rows.reduce((total, { counts }) => total + counts[column], 0)
  return {
    ...NO_TRAFFIC,
    ...(parts.includes('hits') && {
      pageviews: sum('pageviews'),
      customEvents: sum('customEvents'),
      visitors: countTogether(
        rolledUp.flatMap(({ counts, entry }) => counts.visitorsAt(entry) ?? []),
        rows.map(({ visitors }) => visitors),
      ),
    }),
    ...(parts.includes('sessions') && {
      sessions: sum('sessions'),
      bounces: sum('bounces'),
      durationMs: sum('durationMs'),
    }),
  }
}
