import { type Queryable, statement } from '../../infra/db.ts'
import { PROPERTIES } from './dimensions.ts'
import type { RollupCache } from './rollup-cache.ts'
import { decodeDay, RunValues, type StoredDay, visitorsOn } from './run-values.ts'
import { keyOf, type Run } from './runs.ts'
import { type Union, uniteEncoded } from './union.ts'
import { textsOf } from './value-dictionary.ts'

interface StoredValues {
  start: number
  counts: string | null
  visitors: string | null
}

/** Site and dimension of the day ranges. */
interface Subject {
  siteNo: number
  dimension: string
}

interface CountedRun {
  run: Run
  key: string
  values: RunValues
}

const selectDailyValueRollups = statement<StoredValues>('select-daily-value-rollups')

/**
 * Returns the counts by value of a dimension in day ranges, from the cache or from the stored days. Call it in the
 * transaction that has read the versions of the days: otherwise one version's content could be cached under another.
 * @returns undefined when one of the days had too many values to be rolled up
 */
export async function readValueRuns(
  tx: Queryable,
  cache: RollupCache,
  subject: Subject,
  runs: readonly Run[],
  { withVisitors }: { withVisitors: boolean },
): Promise<ValueRuns | undefined> {
  const asked = runs.map(run => ({ run, key: keyOf(run, subject.dimension) }))
  const found = new Map(asked.map(({ run, key }) => [run, cache.values.get(key)]))
  const missing = runs.filter(run => !found.get(run))
  const stored = await readDays(tx, subject, missing, withVisitors)
  if (!stored) return undefined
  const counted: CountedRun[] = []
  const loaded = new Map<RunValues, StoredDay[]>()
  for (const { run, key } of asked) {
    const known = found.get(run)
    const days = stored.get(run)!
    const values = known ?? new RunValues(days)
    counted.push({ run, key, values })
    if (known) continue
    keep(cache, key, values)
    if (withVisitors) loaded.set(values, days)
  }
  return new ValueRuns(tx, cache, subject, counted, loaded)
}

export class ValueRuns {
  readonly #tx: Queryable
  readonly #cache: RollupCache
  readonly #subject: Subject
  readonly #counted: CountedRun[]
  /** Days with visitors. They are large, so they are kept only for the duration of one query, not in the cache. */
  readonly #loaded: Map<RunValues, StoredDay[]>

  constructor(
    tx: Queryable,
    cache: RollupCache,
    subject: Subject,
    counted: CountedRun[],
    loaded: Map<RunValues, StoredDay[]>,
  ) {
    this.#tx = tx
    this.#cache = cache
    this.#subject = subject
    this.#counted = counted
    this.#loaded = loaded
  }

  get all(): readonly RunValues[] {
    return this.#counted.map(({ values }) => values)
  }

  /** Loads the distinct visitors of values; call it before `unionsOf`. Text keys are ignored: no day has them. */
  async learnVisitors(keys: readonly (number | string)[]): Promise<void> {
    const lacking = this.#counted.flatMap(counted => {
      const { values } = counted
      const untold = keys.filter(key => {
        const entry = entryOf(values, key)
        return entry !== -1 && hasVisitors(values, entry) && !values.unionAt(entry)
      }) as number[]
      return untold.length > 0 ? [{ ...counted, untold }] : []
    })
    const unread = lacking.filter(({ values }) => !this.#loaded.has(values))
    const runs = unread.map(({ run }) => run)
    const stored = await readDays(this.#tx, this.#subject, runs, true)
    for (const { run, values } of unread) this.#loaded.set(values, stored!.get(run)!)
    for (const { key, values, untold } of lacking) {
      const asked = untold.toSorted((a, b) => a - b)
      const lists = visitorsOn(this.#loaded.get(values)!, asked)
      for (const [index, valueId] of asked.entries()) {
        const entry = values.find(valueId)
        // Another query may have loaded the visitors during the await.
        if (!values.unionAt(entry)) values.learnVisitors(entry, uniteEncoded(lists[index]!))
      }
      keep(this.#cache, key, values)
    }
  }

  /** Returns the visitors of a value for each day range in which it has visitors. */
  unionsOf(key: number | string): Union[] {
    return this.all.flatMap(values => {
      const entry = entryOf(values, key)
      return entry !== -1 && hasVisitors(values, entry) ? [values.unionAt(entry)!] : []
    })
  }

  /** Returns texts by value id. A text is cached with the days that have it, so it always comes from the same database. */
  async textsOf(valueIds: readonly number[]): Promise<Map<number, string>> {
    const known = new Map<number, string>()
    for (const valueId of valueIds) {
      for (const { texts } of this.all) {
        const text = texts.get(valueId)
        if (text !== undefined) known.set(valueId, text)
      }
    }
    const read = await textsOf(
      this.#tx,
      this.#subject.siteNo,
      valueIds.filter(valueId => !known.has(valueId)),
    )
    for (const { key, values } of this.#counted) {
      let isMore = false
      for (const [valueId, text] of read) {
        if (values.find(valueId) === -1) continue
        values.learnText(valueId, text)
        isMore = true
      }
      if (isMore) keep(this.#cache, key, values)
    }
    return new Map([...known, ...read])
  }
}

/** Caches values with their current size. Empty values are not cached: reading them is as fast as a cache lookup. */
function keep(cache: RollupCache, key: string, values: RunValues): void {
  if (values.valueIds.length > 0) cache.values.set(key, values, { bytes: values.bytes + key.length })
}

const entryOf = (values: RunValues, key: number | string) => (typeof key === 'number' ? values.find(key) : -1)

const hasVisitors = ({ columns }: RunValues, entry: number): boolean => (columns.visitors?.[entry] ?? 0) > 0

/** @returns undefined under the same condition as `readValueRuns` */
async function readDays(
  tx: Queryable,
  { siteNo, dimension }: Subject,
  runs: readonly Run[],
  withVisitors: boolean,
): Promise<Map<Run, StoredDay[]> | undefined> {
  const days = runs.flat()
  if (days.length === 0) return new Map()
  const rows = await selectDailyValueRollups(
    tx,
    siteNo,
    dimension.startsWith(PROPERTIES) ? [dimension, PROPERTIES] : [dimension],
    days.map(({ start }) => start),
    days.map(({ end }) => end),
    withVisitors,
  )
  const stored = new Map<number, StoredDay>()
  for (const { start, counts, visitors } of rows) {
    if (!counts) return undefined
    const day = decodeDay(bytesOf(counts), visitors === null ? null : bytesOf(visitors))
    stored.set(start, day)
  }
  return new Map(runs.map(run => [run, run.flatMap(day => stored.get(day.start) ?? [])]))
}

const bytesOf = (base64: string) => Buffer.from(base64, 'base64')
