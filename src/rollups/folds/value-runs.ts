import { type Queryable, statement } from '../../infra/db.ts'
import { isSound } from './codec.ts'
import { PROPERTIES } from './dimensions.ts'
import type { FoldCache } from './fold-cache.ts'
import { decodeDay, RunValues, type StoredDay, visitorsOn } from './run-values.ts'
import { keyOf, type Run } from './runs.ts'
import { textsOf } from './texts.ts'
import { type Union, uniteEncoded } from './union.ts'

interface StoredValues {
  start: number
  counts: string | null
  visitors: string | null
}

/** Whose days, and of what. */
interface Subject {
  siteNo: number
  dimension: string
}

interface CountedRun {
  run: Run
  key: string
  values: RunValues
}

const selectValueFolds = statement<StoredValues>('select-value-folds')

/**
 * What a dimension's values count in runs of days, from the days or as it was added up before. In the transaction that has
 * found the days' versions.
 * @returns undefined when one of the days had more values than are folded, or is not sound
 */
export async function readValueRuns(
  tx: Queryable,
  cache: FoldCache,
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
  readonly #cache: FoldCache
  readonly #subject: Subject
  readonly #counted: CountedRun[]
  /** Days with visitors, for as long as a question takes: together they are large. */
  readonly #loaded: Map<RunValues, StoredDay[]>

  constructor(
    tx: Queryable,
    cache: FoldCache,
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

  /** Has `unionsOf` answer for some values. A text is none, since no day has it. */
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
      for (const [index, textNo] of asked.entries()) {
        const entry = values.find(textNo)
        // Another question may have told it meanwhile.
        if (!values.unionAt(entry)) values.learnVisitors(entry, uniteEncoded(lists[index]!))
      }
      keep(this.#cache, key, values)
    }
  }

  /** The visitors of a value, of each run in which it has some. */
  unionsOf(key: number | string): Union[] {
    return this.all.flatMap(values => {
      const entry = entryOf(values, key)
      return entry !== -1 && hasVisitors(values, entry) ? [values.unionAt(entry)!] : []
    })
  }

  /** The texts of numbers. They are kept with days that have them, so that what is known is of the same database. */
  async textsOf(textNos: readonly number[]): Promise<Map<number, string>> {
    const known = new Map<number, string>()
    for (const textNo of textNos) {
      for (const { texts } of this.all) {
        const text = texts.get(textNo)
        if (text !== undefined) known.set(textNo, text)
      }
    }
    const read = await textsOf(
      this.#tx,
      this.#subject.siteNo,
      textNos.filter(textNo => !known.has(textNo)),
    )
    for (const { key, values } of this.#counted) {
      let isMore = false
      for (const [textNo, text] of read) {
        if (values.find(textNo) === -1) continue
        values.learnText(textNo, text)
        isMore = true
      }
      if (isMore) keep(this.#cache, key, values)
    }
    return new Map([...known, ...read])
  }
}

/** Keeps it by what it weighs now. That there are no values is found out as fast as it is looked up. */
function keep(cache: FoldCache, key: string, values: RunValues): void {
  if (values.textNos.length > 0) cache.values.set(key, values, { bytes: values.bytes + key.length })
}

const entryOf = (values: RunValues, key: number | string) => (typeof key === 'number' ? values.find(key) : -1)

const hasVisitors = ({ columns }: RunValues, entry: number): boolean => (columns.visitors?.[entry] ?? 0) > 0

/** @returns as `readValueRuns` */
async function readDays(
  tx: Queryable,
  { siteNo, dimension }: Subject,
  runs: readonly Run[],
  withVisitors: boolean,
): Promise<Map<Run, StoredDay[]> | undefined> {
  const days = runs.flat()
  if (days.length === 0) return new Map()
  const rows = await selectValueFolds(
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
    if (!isSound(day.folded.textNos)) return undefined
    stored.set(start, day)
  }
  return new Map(runs.map(run => [run, run.flatMap(day => stored.get(day.start) ?? [])]))
}

const bytesOf = (base64: string) => Buffer.from(base64, 'base64')
