import {
  type BreakdownDimension,
  type Dimension,
  isHitDimension,
} from '../../platform/dimensions/dimensions.ts'
import { dayOf, type LocalDay, startOfDay } from '../../platform/time/local-time.ts'
import type { Range } from '../../platform/time/range.ts'
import type { Filters } from '../filters/stats-query.ts'
import type { Family, TotalsNumber } from './families.ts'

/** Why imported totals are not added; docs/metrics.md "Imported totals". */
export const REFUSALS = ['no_days', 'part_days', 'filters', 'dimension', 'numbers', 'conversions'] as const
export type Refusal = (typeof REFUSALS)[number]

/** What a read asks. */
export interface TotalsQuestion {
  /** Undefined: totals of the site. */
  dimension?: BreakdownDimension | undefined
  filters: Filters
  /** Numbers without which the answer would be wrong. */
  needs: readonly TotalsNumber[]
  /** Whether values of another dimension may be added up: an event has one name. */
  sumsOver?: BreakdownDimension
}

/** Days, both ends included, that one family answers. */
export interface Part {
  family: Family
  from: LocalDay
  to: LocalDay
}

export interface TotalsPlan {
  /** Days with any imported totals in the range; undefined: none. */
  days: { from: LocalDay; to: LocalDay } | undefined
  parts: Part[]
  refusal: Refusal | undefined
}

/** A comparison with the values at a place of `totals_days.vals`, counted from 1. */
export interface ValueFilter {
  place: number
  negative: boolean
  vals: string[]
}

/**
 * Decides which families answer for which days of a range. Of two families that can answer, one has the day, so that no day
 * counts twice.
 * @param families as `findFamilies` returns them
 * @param hasParts whether buckets are shorter than a day
 */
export function planTotals(
  families: readonly Family[],
  range: Range,
  question: TotalsQuestion,
  hasParts = false,
): TotalsPlan {
  const days = { from: dayOf(range.from), to: dayOf(range.to) }
  const reached = families.filter(({ from, to }) => from <= days.to && to >= days.from)
  if (reached.length === 0) return { days: undefined, parts: [], refusal: 'no_days' }
  const hull = {
    from: Math.max(days.from, Math.min(...reached.map(({ from }) => from))),
    to: Math.min(days.to, Math.max(...reached.map(({ to }) => to))),
  }
  const refuse = (refusal: Refusal): TotalsPlan => ({ days: hull, parts: [], refusal })
  if (hasParts || !isWholeDays(range)) return refuse('part_days')
  if (!areAnswerable(question.filters)) return refuse('filters')
  const needed: BreakdownDimension[] = question.filters.dimensions.map(({ dimension }) => dimension)
  if (question.dimension) needed.push(question.dimension)
  const fitting = reached.filter(fits(needed, question.sumsOver))
  if (fitting.length === 0) return refuse(noFamily(question))
  const known = fitting.filter(({ numbers }) => question.needs.every(name => numbers.includes(name)))
  if (known.length === 0) return refuse('numbers')
  const parts = shareDays(known, days)
  return { days: hull, parts, refusal: undefined }
}

const noFamily = ({ dimension, filters }: TotalsQuestion): Refusal =>
  filters.dimensions.length > 0 ? 'filters' : dimension ? 'dimension' : 'numbers'

/** Whole days of the site's zone: no clock hours, and no day that ends now. */
const isWholeDays = ({ hours, zone, to, end }: Range) =>
  hours === undefined && end.getTime() === startOfDay(zone, dayOf(to) + 1)

/**
 * Values of sessions are compared with any list; a session has one of them. It may have several of a dimension of hits: only one
 * value counts each session once.
 */
function areAnswerable({
  dimensions,
  property,
  segmentProperties,
  goalIds,
  segmentGoalIds,
}: Filters): boolean {
  if (property || segmentProperties?.length || goalIds.length > 0 || segmentGoalIds?.length) return false
  return dimensions.every(({ dimension, condition: { operator, values } }) =>
    isHitDimension(dimension)
      ? operator === 'is' && values.length === 1
      : operator === 'is' || operator === 'is_not',
  )
}

/**
 * Totals of the site are those of families without dimensions: sums over values would count visitors several times. So would sums over
 * a dimension of hits that is not asked: a session has several pages.
 */
const fits =
  (needed: readonly BreakdownDimension[], sumsOver: BreakdownDimension | undefined) =>
  ({ dimensions }: Family) => {
    const others = dimensions.filter(name => name !== sumsOver && !needed.includes(name as Dimension))
    return (
      needed.every(name => dimensions.includes(name)) &&
      (needed.length === 0 ? others.length === 0 : !others.some(name => isHitDimension(name as Dimension)))
    )
  }

/**
 * Gives each day to the family with the fewest dimensions that has it: fewer sums over values count fewer visitors twice. Of equal ones,
 * the newest has the day.
 */
function shareDays(families: readonly Family[], { from, to }: { from: LocalDay; to: LocalDay }): Part[] {
  const parts: Part[] = []
  let free = [{ from, to }]
  const ordered = families.toSorted(
    (a, b) => a.dimensions.length - b.dimensions.length || b.importNo - a.importNo || b.familyNo - a.familyNo,
  )
  for (const family of ordered) {
    const left: typeof free = []
    for (const span of free) {
      const part = { from: Math.max(span.from, family.from), to: Math.min(span.to, family.to) }
      if (part.from > part.to) {
        left.push(span)
        continue
      }
      parts.push({ family, ...part })
      if (span.from < part.from) left.push({ from: span.from, to: part.from - 1 })
      if (part.to < span.to) left.push({ from: part.to + 1, to: span.to })
    }
    free = left
  }
  return parts.toSorted((a, b) => a.from - b.from)
}

/** Returns the conditions of filters on the values of a family that has their dimensions. */
export const valueFilters = ({ dimensions }: Family, filters: Filters): ValueFilter[] =>
  filters.dimensions.map(({ dimension, condition: { operator, values } }) => ({
    place: dimensions.indexOf(dimension) + 1,
    negative: operator === 'is_not',
    vals: values,
  }))
