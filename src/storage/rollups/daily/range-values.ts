import type { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { PROPERTIES } from '../../../platform/dimensions/rolled-up.ts'
import { arraysOf, type DayRange } from '../protocol.ts'
import { decodeColumns, type EncodedVisitors, type RolledUpColumns } from './codec.ts'
import { keyOf } from './coverage.ts'
import { valuesOf } from './value-dictionary.ts'
import { find, type ValueColumns, ValueSums } from './value-sums.ts'
import { bytesOf, type DistinctVisitors, uniteDays } from './visitor-set.ts'

/** Counts by value, by `keyOf`. */
export type ValuesCache = LRUCache<string, RangeValues>

/** Stored counts of one dimension for one day; `visitors` is null unless they were requested. */
interface StoredDay {
  rolledUp: RolledUpColumns
  visitors: Buffer | null
}

/**
 * Counts by value of a dimension in a day range. All counts are final except `visitors`: at first it is the sum over the
 * days, an upper bound; `setVisitors` replaces it with the number of distinct visitors.
 */
export class RangeValues implements ValueColumns {
  /** Ascending. */
  readonly valueIds: Uint32Array
  readonly columns: RolledUpColumns['columns']
  /** Largest visitor count of one day: a lower bound of the distinct visitors. */
  readonly least: Float64Array
  /** Values by id, as far as they have been read from the dictionary. */
  readonly values = new Map<number, string>()
  readonly #visitors = new Map<number, DistinctVisitors>()
  #addedBytes = 0

  constructor(days: readonly StoredDay[]) {
    const parts = days.map(({ rolledUp }) => ({ ...rolledUp, least: rolledUp.columns.visitors }))
    const { valueIds, columns, least } = parts.length === 1 ? parts[0]! : new ValueSums(parts).summed
    this.valueIds = valueIds
    this.columns = columns
    this.least = least ?? new Float64Array(valueIds.length)
  }

  /** Returns the index of a value id, −1 when it is absent. */
  find(valueId: number): number {
    return find(this.valueIds, valueId)
  }

  hasVisitors(entry: number): boolean {
    return (this.columns.visitors?.[entry] ?? 0) > 0
  }

  /** Returns the distinct visitors of an entry; undefined before `setVisitors`. */
  visitorsAt(entry: number): DistinctVisitors | undefined {
    return this.#visitors.get(entry)
  }

  setVisitors(entry: number, visitors: DistinctVisitors): void {
    this.#visitors.set(entry, visitors)
    this.columns.visitors![entry] = visitors.size
    this.least[entry] = visitors.size
    this.#addedBytes += bytesOf(visitors)
  }

  setValue(valueId: number, value: string): void {
    if (this.values.has(valueId)) return
    this.values.set(valueId, value)
    this.#addedBytes += 2 * value.length + 100
  }

  /** Approximate memory use now, in bytes, without the cache key. */
  get bytes(): number {
    const columns = Object.keys(this.columns).length
    return 2_000 + 150 * columns + this.valueIds.length * (4 + 8 * (columns + 1)) + this.#addedBytes
  }
}

/** Where the counts by value of a dimension are read. */
interface Source {
  tx: Queryable
  cache: { values: ValuesCache }
  siteNo: number
  dimension: string
}

interface LoadedRange {
  range: DayRange
  key: string
  counts: RangeValues
  /** Days with visitors. They are large, so they are kept only for the duration of one query, not in the cache. */
  days: StoredDay[] | undefined
}

// In base64: the driver reads text, and the text form of bytea is 1.5 times as long. Days without values are absent.
const selectDailyValueRollups = query<
  {
    siteNo: number
    dimensions: readonly string[]
    starts: readonly Date[]
    ends: readonly Date[]
    withVisitors: boolean
  },
  { start: number; counts: string | null; visitors: string | null }
>(
  'select-daily-value-rollups',
  `
  select
    (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start,
    encode(counts, 'base64') as counts,
    case when :withVisitors::boolean then encode(visitors, 'base64') end as visitors
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_value_rollups on
    daily_value_rollups.site_no = :siteNo::int and daily_value_rollups.dimension = any(:dimensions::text[])
    and daily_value_rollups.starts_at = day.starts_at and daily_value_rollups.ends_at = day.ends_at`,
)

/**
 * Returns a reader of the counts by value of a dimension in day ranges, from the cache or from the stored days. Call it in the
 * transaction that has read the versions of the days: otherwise one version's content could be cached under another.
 * @returns undefined when one of the days had too many values to be rolled up
 */
export async function readRanges(
  source: Source,
  ranges: readonly DayRange[],
  { withVisitors }: { withVisitors: boolean },
): Promise<RangeReader | undefined> {
  const { cache, dimension } = source
  const wanted = ranges.map(range => {
    const key = keyOf(range, dimension)
    return { range, key, known: cache.values.get(key) }
  })
  const missing = wanted.filter(({ known }) => !known).map(({ range }) => range)
  const stored = await readDays(source, missing, withVisitors)
  if (!stored) return undefined
  const loaded = wanted.map(({ range, key, known }) => {
    if (known) return { range, key, counts: known, days: undefined }
    const days = stored.get(range)!
    const counts = new RangeValues(days)
    keep(cache, key, counts)
    return { range, key, counts, days: withVisitors ? days : undefined }
  })
  return new RangeReader(source, loaded)
}

/** Reads what the cached counts of day ranges lack: visitors and values of single entries. */
export class RangeReader {
  readonly #source: Source
  readonly #ranges: LoadedRange[]

  constructor(source: Source, ranges: LoadedRange[]) {
    this.#source = source
    this.#ranges = ranges
  }

  get all(): readonly RangeValues[] {
    return this.#ranges.map(({ counts }) => counts)
  }

  /** Loads the distinct visitors of values; call it before `visitorsOf`. Text keys are ignored: no day has them. */
  async loadVisitors(keys: readonly (number | string)[]): Promise<void> {
    const lacking = this.#ranges.flatMap(loaded => {
      const { counts } = loaded
      const valueIds = keys.filter((key): key is number => {
        const entry = entryOf(counts, key)
        return entry !== -1 && counts.hasVisitors(entry) && !counts.visitorsAt(entry)
      })
      return valueIds.length > 0 ? [{ loaded, valueIds: valueIds.sort((a, b) => a - b) }] : []
    })
    const unread = lacking.flatMap(({ loaded }) => (loaded.days ? [] : [loaded.range]))
    const stored = await readDays(this.#source, unread, true)
    for (const { loaded, valueIds } of lacking) {
      loaded.days ??= stored!.get(loaded.range)!
      const { counts } = loaded
      const lists = visitorsOn(loaded.days, valueIds)
      for (const [index, valueId] of valueIds.entries()) {
        const entry = counts.find(valueId)
        // Another query may have loaded the visitors during the await.
        if (!counts.visitorsAt(entry)) counts.setVisitors(entry, uniteDays(lists[index]!))
      }
      keep(this.#source.cache, loaded.key, counts)
    }
  }

  /** Returns the visitors of a value for each day range in which it has visitors. */
  visitorsOf(key: number | string): DistinctVisitors[] {
    return this.all.flatMap(counts => {
      const entry = entryOf(counts, key)
      return entry !== -1 && counts.hasVisitors(entry) ? [counts.visitorsAt(entry)!] : []
    })
  }

  /** Returns values by id. A value is cached with the days that have it, so it always comes from the same database. */
  async valuesOf(valueIds: readonly number[]): Promise<Map<number, string>> {
    const known = new Map<number, string>()
    for (const valueId of valueIds) {
      for (const { values } of this.all) {
        const value = values.get(valueId)
        if (value !== undefined) known.set(valueId, value)
      }
    }
    const unknown = valueIds.filter(valueId => !known.has(valueId))
    const read = await valuesOf(this.#source.tx, this.#source.siteNo, unknown)
    for (const { key, counts } of this.#ranges) {
      const present = [...read].filter(([valueId]) => counts.find(valueId) !== -1)
      for (const [valueId, value] of present) counts.setValue(valueId, value)
      if (present.length > 0) keep(this.#source.cache, key, counts)
    }
    return new Map([...known, ...read])
  }
}

/** Caches counts with their current size. Empty ones are not cached: reading them is as fast as a cache lookup. */
function keep(cache: { values: ValuesCache }, key: string, counts: RangeValues): void {
  if (counts.valueIds.length === 0) return
  // Without the deletion, `set` would keep the old size of values that are cached already and have grown.
  cache.values.delete(key)
  cache.values.set(key, counts, { size: counts.bytes + key.length })
}

const entryOf = (counts: RangeValues, key: number | string) =>
  typeof key === 'number' ? counts.find(key) : -1

/**
 * Returns, for each value, the encoded visitors of every day that has the value.
 * @param days must have been read with visitors
 * @param valueIds ascending
 */
function visitorsOn(days: readonly StoredDay[], valueIds: readonly number[]): EncodedVisitors[][] {
  const lists: EncodedVisitors[][] = valueIds.map(() => [])
  for (const { rolledUp, visitors } of days) {
    let entry = 0
    for (const [index, valueId] of valueIds.entries()) {
      while (rolledUp.valueIds[entry]! < valueId) entry++
      if (rolledUp.valueIds[entry] !== valueId) continue
      const count = rolledUp.columns.visitors?.[entry] ?? 0
      if (count > 0) lists[index]!.push({ visitors: visitors!, offset: rolledUp.offsets[entry]!, count })
    }
  }
  return lists
}

/** @returns undefined under the same condition as `readRanges` */
async function readDays(
  { tx, siteNo, dimension }: Source,
  ranges: readonly DayRange[],
  withVisitors: boolean,
): Promise<Map<DayRange, StoredDay[]> | undefined> {
  const days = ranges.flat()
  if (days.length === 0) return new Map()
  const rows = await selectDailyValueRollups(tx, {
    siteNo,
    dimensions: dimension.startsWith(PROPERTIES) ? [dimension, PROPERTIES] : [dimension],
    ...arraysOf(days),
    withVisitors,
  })
  const stored = new Map<number, StoredDay>()
  for (const { start, counts, visitors } of rows) {
    if (!counts) return undefined
    stored.set(start, {
      rolledUp: decodeColumns(Buffer.from(counts, 'base64')),
      visitors: visitors === null ? null : Buffer.from(visitors, 'base64'),
    })
  }
  return new Map(ranges.map(range => [range, range.flatMap(day => stored.get(day.start) ?? [])]))
}
