import { invalidField } from '../../errors.ts'
import { countTogether, readIntArray } from '../../rollups/daily/visitor-set.ts'
import type { CountSource } from '../../rollups/protocol.ts'
import { formatInstant } from '../../time/local-time.ts'
import { buckets, type Group, type LabelledBucket, type Range } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'

/** A count or an amount of money, and what it was added up from. */
export interface Term {
  total: bigint
  /** What there was before the range; `total` includes it. */
  before?: bigint
  /** One for each part of the range. */
  buckets: bigint[]
  sources: Partial<Record<CountSource, bigint>>
  /** Whether what occurs in several parts counts once in the total. */
  isDistinct?: boolean
}

/** Parts that an answer has at most: the hours of 33 days. */
const MOST_PARTS = 800
const DAYS_OF = { hour: 1 / 25, day: 1, week: 7, month: 28 }

const defaultGroup = ({ hours, days }: Range): Group =>
  hours !== undefined || days <= 1 ? 'hour' : days <= 366 ? 'day' : 'month'

/**
 * Returns the parts that a number is divided into: hours of a day, days of up to 366, else months, unless the request chooses. A range
 * of more months is one part.
 * @param options.onlyDays whether hours cannot be told apart
 * @param options.isOne whether the range is not to be divided
 * @throws AppError `validation_failed` for a `group` of the request that makes more than 800 parts
 */
export function partsOf(
  range: Range,
  { start, end }: ResolvedQuery,
  {
    group,
    onlyDays = false,
    isOne = false,
  }: { group?: Group | undefined; onlyDays?: boolean; isOne?: boolean },
): LabelledBucket[] {
  if (isOne) return [whole(range)]
  const asked = group ?? defaultGroup(range)
  const divided = onlyDays && asked === 'hour' ? 'day' : asked
  if (range.days > 2 * MOST_PARTS * DAYS_OF[divided]) return tooMany(range, group)
  const all = buckets({ ...range, group: divided })
  const parts = all.length > MOST_PARTS ? tooMany(range, group) : all
  return parts.flatMap(part => {
    const cut = { ...part, start: later(part.start, start), end: earlier(part.end, end) }
    return cut.start < cut.end ? [cut] : []
  })
}

function tooMany(range: Range, group: Group | undefined): LabelledBucket[] {
  if (group) throw invalidField('group', `must leave at most ${MOST_PARTS} parts: ask for larger ones`)
  return [whole(range)]
}

const whole = ({ zone, start, end }: Range): LabelledBucket => ({
  label: formatInstant(zone, start.getTime()),
  start,
  end,
})

const later = (a: Date, b: Date) => (a > b ? a : b)
const earlier = (a: Date, b: Date) => (a < b ? a : b)

/** Returns a term whose parts add up, read from rows. */
export function sumOfRows(buckets: bigint[]): Term {
  const total = buckets.reduce((sum, part) => sum + part, 0n)
  return { total, buckets, sources: total === 0n ? {} : { rows: total } }
}

/** Rows of a statement that counts by part, from 0. */
export type PartRow = { bucket: number; visitors?: Buffer | null }

/** Returns the sums of a column of such rows. */
export function sumColumn<Row extends PartRow>(
  rows: readonly Row[],
  parts: number,
  amountOf: (row: Row) => number | bigint,
): Term {
  const sums = Array.from({ length: parts }, () => 0n)
  for (const row of rows) sums[row.bucket]! += BigInt(amountOf(row))
  return sumOfRows(sums)
}

/** Returns the distinct visitors of such rows: a visitor of two parts is one visitor. */
export function uniteVisitors(rows: readonly PartRow[], parts: number): Term {
  const lists: Uint32Array[][] = Array.from({ length: parts }, () => [])
  for (const { bucket, visitors } of rows) if (visitors) lists[bucket]!.push(readIntArray(visitors))
  const total = BigInt(countTogether([], lists.flat()))
  const counts = lists.map(list => BigInt(countTogether([], list)))
  return { total, buckets: counts, sources: total === 0n ? {} : { rows: total }, isDistinct: true }
}
