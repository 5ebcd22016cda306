import { MINUTE_MS } from '../../platform/lib/time.ts'
import type { Pool } from '../../platform/threads/pool.ts'
import type { Column, Counts } from './daily/codec.ts'
import type { Amounts, ValueOrder } from './value-order.ts'

export const BUCKET_MS = 15 * MINUTE_MS

/** Half-open, Unix milliseconds, whole 15-minute buckets. */
export interface Window {
  start: number
  end: number
}

/** Returns the bounds of a window as parameters of a statement. */
export const datesOf = ({ start, end }: Window): { start: Date; end: Date } => ({
  start: new Date(start),
  end: new Date(end),
})

/** Returns the windows of sites as parameters of a statement: one array for each column. */
export const arraysOf = (spans: readonly (Window & { siteNo: number })[]) => ({
  siteNos: spans.map(({ siteNo }) => siteNo),
  starts: spans.map(({ start }) => new Date(start)),
  ends: spans.map(({ end }) => new Date(end)),
})

/** Totals of a window. They add up over windows, except `visitors`. */
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
  /** Consecutive windows; the sparkline has one value for each. */
  buckets: Window[]
  previous: Window
}

export interface SiteVisitors {
  siteNo: number
  visitors: number
  visitorsBefore: number
  sparkline: number[]
}

/** Site and windows of a revenue query, with the site's reporting currency. */
export interface SiteMoney {
  siteNo: number
  currency: string
  windows: Window[]
}

/** Payments to a site in a window. Amounts are exact minor units of any size; all fields add up over windows. */
export interface RevenueTotals {
  /** Payments of any currency, refunded or not. */
  recorded: number
  /** Payments that are not fully refunded. */
  payments: number
  /** Paid amount minus refunds. */
  revenue: bigint
  /** Paid amount minus refunds, of renewals and recurring payments only. */
  recurring: bigint
  /** Customers whose first payment is among these. */
  newCustomers: number
}

export interface MovementTotals {
  /** Sum of the movements of the window. */
  mrr: bigint
  /** Sum of all movements before the end of the window. */
  mrrAtEnd: bigint
}

export interface Movements {
  /** Whether a payment processor is connected. */
  isConnected: boolean
  windows: MovementTotals[]
}

/** Local day of a site that needs a rollup. */
export interface RolledUpDay extends Window {
  siteNo: number
  /** Time zone of the day. When the site's rollups use another zone by now, nothing is written. */
  zone: string
  /** Marks of the day's buckets, read before the rollup. A mark is removed unless its bucket was marked again since. */
  marks: { bucket: number; version: number }[]
}

/** Span and version of a daily rollup, without its counts. */
export interface DailyRollup extends Window {
  siteNo: number
  /** Changes with every change of the rollup: totals, visitors or counts by value. */
  version: string
}

/** One or more days of a site that are summed together. */
export type DayRange = readonly DailyRollup[]

/** What answers for windows of a site beside columns. */
export interface Covered {
  /** Rollups in each window, in order. */
  ranges: DayRange[]
  /** What rollups lack and has no rows any more: kept buckets have its totals. */
  kept: Window[]
}

/** What columns have counted of a part of a window. */
export interface CountedPart extends Window {
  counts: Omit<TrafficTotals, 'visitors'>
  /** Distinct visitor_no, in any order. */
  visitors: Uint32Array
}

/** What columns have counted of a value. */
export interface CountedValue {
  value: string
  counts: Partial<Omit<Counts, 'visitors'>>
  /** Distinct visitor_no, in any order. */
  visitors: Uint32Array
}

/** Rollups of windows, and what columns have counted of the rest. */
export interface CountedRest<Part> {
  covered: Covered
  rest: Part[]
}

/** Answer where a rollup was written again since it was found: look for rollups once more. */
export type Changed = 'changed'

/** Query for a ranked page of values. */
export interface Ranking extends CountedRest<CountedValue> {
  siteNo: number
  window: Window
  /** See `src/platform/dimensions/rolled-up.ts`. */
  dimension: string
  /** Columns to sort by, in this order, all descending; ties are sorted by value. `visitors` may only be the first column. */
  by: Column[]
  /** A value is shown when one of these columns is greater than 0. */
  shown: Column[]
  /** Whether the rows have exact `visitors`, though they are not sorted by them. */
  countsVisitors?: boolean | undefined
  /** True to leave out the empty value. */
  leavesOutEmpty: boolean
  limit: number
  offset: number
}

/** Query for a page of values in any order, of those that match a search. */
export interface SortedRanking
  extends ValueOrder,
    Pick<Ranking, 'siteNo' | 'window' | 'dimension' | 'covered' | 'rest' | 'shown' | 'limit' | 'offset'> {
  /** Only values that contain the text, in any case. */
  search?: string | undefined
  /** Required by sorts of what rollups do not count: money and conversions. */
  amounts?: Amounts | undefined
}

export interface RankedValue extends Counts {
  value: string
}

/** The first and the last occurrence of an error, Unix milliseconds. */
export interface ErrorEnds {
  first: number
  last: number
}

/** Who is on a site. */
export interface LiveCounts {
  /** One row for each minute with hits: when it begins, Unix milliseconds, and what it has. */
  minutes: { minute: number; visitors: number; pageviews: number }[]
  /** Distinct visitors of the last minutes, of all and of the values with most; `dimension` null: all together. */
  present: { dimension: 'path' | 'source' | 'country' | null; value: string | null; visitors: number }[]
}

/** Inputs and outputs of the tasks of the rollup threads. */
export interface Tasks {
  countTraffic: {
    input: { siteNo: number; windows: Window[] } & CountedRest<CountedPart>
    output: TrafficTotals[] | Changed
  }
  countSiteVisitors: { input: SiteWindows[]; output: SiteVisitors[] }
  rollUpDay: { input: RolledUpDay; output: undefined }
  /** Null when rollups cannot answer: a day has too many values. */
  rankValues: { input: Ranking; output: { rows: RankedValue[]; total: number } | Changed | null }
  sortValues: { input: SortedRanking; output: { rows: RankedValue[]; total: number } | Changed | null }
  /** Counts in the order of `values`; null as for `rankValues`. Without `withVisitors`, `visitors` are 0. */
  countValues: {
    input: Pick<Ranking, 'siteNo' | 'dimension' | 'covered' | 'rest'> & {
      values: string[]
      withVisitors?: boolean | undefined
    }
    output: Counts[] | Changed | null
  }
  /** When errors of a site occurred first and last, ever, by id; those without occurrence are absent. */
  findErrorEnds: { input: { siteNo: number; ids: string[] }; output: Map<string, ErrorEnds> }
  countRevenue: { input: SiteMoney[]; output: RevenueTotals[][] }
  countMovements: { input: SiteMoney; output: Movements }
}

/**
 * Runs a task in a thread.
 * @throws AppError `unavailable` when the database or the threads cannot take the task now
 */
export function runTask<Name extends keyof Tasks>(
  pool: Pool,
  name: Name,
  input: Tasks[Name]['input'],
): Promise<Tasks[Name]['output']> {
  return pool.run(name, input) as Promise<Tasks[Name]['output']>
}
