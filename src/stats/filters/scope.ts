import type postgres from 'postgres'
import type { Filters } from './query.ts'

/** SQL is composed only in this folder, from fragments of the driver: each value in a fragment becomes a parameter. */
export type Fragment = postgres.Fragment

/** Resolved query: the hits and sessions of a site that a read uses. */
export interface Scope {
  siteNo: number
  /** Half-open. */
  start: Date
  end: Date
  /** Only hits of visits that started in this time span; without it, hits of all visits. Null: no bound. */
  visits?: { from: Date | null; to: Date | null } | undefined
  /** `resolveScopes` has replaced wildcards and regular expressions by lists of values. */
  filters: Pick<Filters, 'dimensions' | 'property'>
  /** With a goal filter: the conversion targets, and the sessions that converted in the range. */
  goal: { targets: ConversionTargets; sessions: number[] } | undefined
}

/** Conversion targets with exact values instead of operators: rows to join hits with (`findTargets`). */
export interface ConversionTargets {
  /**
   * Goals, by number, that a hit of type `kind` converts if its path, name or selector is `value` and its properties
   * contain the JSON object `props` (null: any properties).
   */
  hits: { kind: string; value: string; props: string | null; goals: number[] }[]
  /** Goals that a pageview of `path` converts when the visitor scrolls to `threshold` percent. */
  scrolls: { path: string; threshold: number; goals: number[] }[]
}
