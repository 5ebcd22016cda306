import type { Pool } from '../infra/pool.ts'
import type { Column, Counts } from './folds/codec.ts'

/** Half-open, Unix milliseconds, whole 15-minute buckets. */
export interface Window {
  start: number
  end: number
}

/** What a window counts; everything adds up over windows but `visitors`. */
export interface TrafficTotals {
  pageviews: number
  customEvents: number
  visitors: number
  sessions: number
  /** Sessions with exactly one pageview. */
  bounces: number
  /** Sum over sessions of last hit − first hit. */
  durationMs: number
}

export const NO_TRAFFIC: TrafficTotals = {
  pageviews: 0,
  customEvents: 0,
  visitors: 0,
  sessions: 0,
  bounces: 0,
  durationMs: 0,
}

export interface SiteWindows {
  siteNo: number
  /** Consecutive; the sparkline has one value each. */
  buckets: Window[]
  previous: Window
}

export interface SiteVisitors {
  siteNo: number
  visitors: number
  visitorsBefore: number
  sparkline: number[]
}

/** A site's money is counted in the currency it reports in. */
export interface SiteMoney {
  siteNo: number
  currency: string
  windows: Window[]
}

/** What a site was paid in a window. Amounts are minor units, exact however large; everything adds up over windows. */
export interface RevenueTotals {
  /** Payments of any currency, refunded or not. */
  recorded: number
  /** Payments that are not wholly refunded. */
  payments: number
  /** What was paid, less what was given back of it. */
  revenue: bigint
  /** The same of renewals and recurring payments. */
  recurring: bigint
  /** Customers whose first payment this is. */
  newCustomers: number
}

export interface MovementTotals {
  /** Sum of the movements of the window. */
  mrr: bigint
  /** Sum of all movements up to its end. */
  mrrAtEnd: bigint
}

export interface Movements {
  /** Whether a payment processor is connected. */
  isConnected: boolean
  windows: MovementTotals[]
}

/** A local day of a site that is to be folded. */
export interface FoldedDay extends Window {
  siteNo: number
  /** Whose days are folded; when the site's are those of another by now, nothing is written. */
  zone: string
  /** What the fold holds lies before it. */
  foldedTo: number
  /** From raw rows, whatever was folded before. */
  isAnew: boolean
  /** Marks of the day's buckets as they were before; taken off where nobody marked them again. */
  marks: { bucket: number; version: number }[]
}

/** How values are ranked. */
export interface Ranking {
  siteNo: number
  window: Window
  /** As in `folds/dimensions.ts`. */
  dimension: string
  /** What ranks first, the most first; ties by the value. `visitors` only as the first. */
  by: Column[]
  /** A value is shown when one of these is more than 0. */
  shown: Column[]
  /** Whether the empty value is left out. */
  leavesOutEmpty: boolean
  limit: number
  offset: number
}

export interface RankedValue extends Counts {
  value: string
}

/** Pageviews, events and visitors, or the rest. What is not asked for is 0. */
export type TrafficPart = 'hits' | 'sessions'

/** Every task of the rollup threads: what goes in, what comes out. */
export interface Tasks {
  countTraffic: {
    input: { siteNo: number; windows: Window[]; parts: TrafficPart[] }
    output: TrafficTotals[]
  }
  countSiteVisitors: { input: SiteWindows[]; output: SiteVisitors[] }
  foldDay: { input: FoldedDay; output: undefined }
  /** Null when too little of the window is folded. */
  rankValues: { input: Ranking; output: { rows: RankedValue[]; total: number } | null }
  /** In the order of `values`; null as above. */
  countValues: {
    input: { siteNo: number; window: Window; dimension: string; values: string[] }
    output: Counts[] | null
  }
  countRevenue: { input: SiteMoney[]; output: RevenueTotals[][] }
  countMovements: { input: SiteMoney; output: Movements }
}

/**
 * Runs a task in a thread.
 * @throws AppError `unavailable` when database or threads cannot take it now
 */
export function runTask<Name extends keyof Tasks>(
  pool: Pool,
  name: Name,
  input: Tasks[Name]['input'],
): Promise<Tasks[Name]['output']> {
  return pool.run(name, input) as Promise<Tasks[Name]['output']>
}
