import type postgres from 'postgres'
import type { Filters } from './query.ts'

/** SQL is composed in this folder alone: of fragments of the driver, in which every value is a parameter. */
export type Fragment = postgres.Fragment

/** Which hits and sessions of a site a read is about. */
export interface Scope {
  siteNo: number
  /** Half-open. */
  start: Date
  end: Date
  /** Only what visits did that started in this span; all of them without it. Null for no bound. */
  visits?: { from: Date | null; to: Date | null } | undefined
  /** Wildcards and regular expressions are lists of values by now (`resolveScopes`). */
  filters: Pick<Filters, 'dimensions' | 'property'>
  /** Under a goal filter: what converts, and the sessions in which that happened in the range. */
  goal: { targets: ConversionTargets; sessions: number[] } | undefined
}

/** What converts, with every operator turned into values: rows to join hits with (`findTargets`). */
export interface ConversionTargets {
  /**
   * Goals, by number, that a hit of the type converts whose path, name or selector is `value` and whose properties
   * contain the JSON object `props` (null: any).
   */
  hits: { kind: string; value: string; props: string | null; goals: number[] }[]
  /** Goals that a pageview of the path converts when it is scrolled to `threshold` percent. */
  scrolls: { path: string; threshold: number; goals: number[] }[]
}
