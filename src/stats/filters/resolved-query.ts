import type { TimeSpan } from '../../platform/time/range.ts'
import type { Condition, DimensionFilter } from '../conditions/conditions.ts'
import type { Question } from '../counts/question.ts'

/** Resolved query: which hits and sessions of a site a read uses. */
export interface ResolvedQuery extends TimeSpan {
  siteNo: number
  /** Without filters: rows before it are gone, while rollups answer for the whole range. Columns begin there. */
  detailsFrom?: Date
  /** What the filters ask. */
  question: Question
}

/** Filters of a request. */
export interface ResolvedFilters {
  dimensions: DimensionFilter[]
  /** Conditions on the keys of a hit's properties, and on the values under these keys. */
  property: PropertyFilter | undefined
  /** Those of segments: the same hit must match each of them, too. */
  segmentProperties?: PropertyFilter[] | undefined
}

export interface PropertyFilter {
  keys: Condition[]
  values: Condition[]
}

export const propertiesOf = ({ property, segmentProperties = [] }: ResolvedFilters): PropertyFilter[] =>
  property ? [property, ...segmentProperties] : segmentProperties

/** Returns the part of a time span that has rows; an empty one when all are gone. */
export function keptPart<Span extends TimeSpan & { detailsFrom?: Date }>(span: Span): Span {
  const { start, end, detailsFrom } = span
  if (!detailsFrom || detailsFrom <= start) return span
  return { ...span, start: detailsFrom, end: new Date(Math.max(end.getTime(), detailsFrom.getTime())) }
}

/** Returns the whole time span: that of reads whose rows are never dropped, such as payments. */
export function wholePart<Span extends { detailsFrom?: Date }>({ detailsFrom: _, ...span }: Span) {
  return span
}

/** Returns whether all hits and sessions of the range count, so that rollups can answer. */
export const isUnfiltered = ({ question: { filters, properties, goals } }: ResolvedQuery): boolean =>
  filters.length + properties.length + goals.length === 0

/** Returns the targets of the goals of the request: a session must have converted one of them. Undefined without such a filter. */
export const goalOf = ({ question: { goals, requested } }: ResolvedQuery) =>
  requested > 0 ? goals[0] : undefined

/** Returns the query without the goals of the request. */
export const withoutGoal = (resolved: ResolvedQuery): ResolvedQuery => ({
  ...resolved,
  question: {
    ...resolved.question,
    goals: resolved.question.goals.slice(resolved.question.requested),
    requested: 0,
  },
})
