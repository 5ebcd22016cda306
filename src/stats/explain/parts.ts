import { invalidField } from '../../platform/errors.ts'
import { formatInstant } from '../../platform/time/local-time.ts'
import { buckets, type Group, type LabelledBucket, type Range } from '../../platform/time/range.ts'
import type { OfValue } from '../counts/shared/of-value.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { GoalTarget } from '../goals/goal-target.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'

/** What is explained: a period of a site, and the parts that it is divided into; of a breakdown one of its rows. */
export interface Explained {
  services: StatsServices
  site: StatsSite
  range: Range
  resolved: ResolvedQuery
  parts: LabelledBucket[]
  of: OfValue
  /** What converts the goal of the filter, or `conversion_goal`. */
  targets: GoalTarget[]
}

/** A count or an amount of money, and what it was added up from. */
export interface Term {
  total: bigint
  /** What there was before the range; `total` includes it. */
  before?: bigint
  /** One for each part of the range. */
  buckets: bigint[]
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

/** Returns a term whose parts add up; with `before`, one that goes on from before the range. */
export function sumTerm(parts: readonly (number | bigint)[], before?: bigint): Term {
  const buckets = parts.map(BigInt)
  const total = buckets.reduce((sum, part) => sum + part, before ?? 0n)
  return { total, buckets, ...(before !== undefined && { before }) }
}

/** Returns a term that counts what is distinct. */
export const distinctTerm = (total: number, parts: readonly number[]): Term => ({
  total: BigInt(total),
  buckets: parts.map(BigInt),
  isDistinct: true,
})

/** Returns a term of one of the parts alone; what came before that part counts as before. */
export function cutTo({ buckets, before }: Term, index: number): Term {
  const earlier = buckets.slice(0, index).reduce((sum, part) => sum + part, 0n)
  return sumTerm([buckets[index]!], before === undefined ? undefined : before + earlier)
}
