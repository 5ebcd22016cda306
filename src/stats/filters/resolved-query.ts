import type { Condition, DimensionFilter } from '../../filters/conditions.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { Question } from '../counts/question.ts'

/** What converts goals, with exact values instead of operators: rows to join hits with (`lookUpTargets`). */
export interface ConversionTargets {
  /**
   * Goals, by number, that a hit of type `kind` converts if its path, name or selector is `value` and its properties
   * contain the JSON object `props` (null: any properties).
   */
  hits: { kind: string; value: string; props: string | null; goals: number[] }[]
  /** Goals that a pageview of `path` converts when the visitor scrolls to `threshold` percent. */
  scrolls: { path: string; threshold: number; goals: number[] }[]
}

/** Resolved query: which hits and sessions of a site a read uses. */
export interface ResolvedQuery extends TimeSpan {
  siteNo: number
  /** Without filters: rows before it are gone, while rollups answer for the whole range. Statements that read rows begin there. */
  detailsFrom?: Date
  /** Whether statements find out how far hits of sessions lie around the range; otherwise they read a day on each side. */
  findsReach?: boolean
  /** Only hits of sessions that started in this time span; without it, hits of all sessions. Null: no bound. */
  slice?: SessionSlice | undefined
  /** `resolveQueries` has replaced wildcards and regular expressions by lists of values. */
  filters: ResolvedFilters
  /** With a goal filter: the conversion targets, and the sessions that converted in the range. */
  goal: { targets: ConversionTargets; sessionNos: number[] } | undefined
  /**
   * The only sessions that count. With segments that have goals: those that converted, in the range, one of the goals of each of them.
   */
  segmentSessionNos?: number[] | undefined
  /** What the filters ask of columns, where these are counted. */
  question?: Question | undefined
  /** Where columns are counted: returns the same query as statements that read rows need it, with what matches patterns and goals. */
  completed?: (() => Promise<ResolvedQuery>) | undefined
}

/** Returns a query as statements that read rows need it. */
export async function completedQuery(resolved: ResolvedQuery): Promise<ResolvedQuery> {
  if (!resolved.completed) return resolved
  const { filters, goal, segmentSessionNos } = await resolved.completed()
  return {
    ...resolved,
    filters,
    goal: resolved.goal && goal,
    segmentSessionNos: resolved.segmentSessionNos && segmentSessionNos,
    completed: undefined,
  }
}

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

/** Starts of sessions, half-open; null: no bound. */
export interface SessionSlice {
  from: Date | null
  to: Date | null
}

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
export const isUnfiltered = ({ filters, goal, segmentSessionNos }: ResolvedQuery): boolean =>
  filters.dimensions.length === 0 &&
  propertiesOf(filters).length === 0 &&
  goal === undefined &&
  segmentSessionNos === undefined
