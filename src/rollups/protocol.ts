import type { DimensionOf } from '../dimensions/dimensions.ts'
import type { TimedDimension } from '../dimensions/rolled-up.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { Pool } from '../threads/pool.ts'
import type { Column, Counts } from './daily/codec.ts'
import type { ConversionTargets } from './goals/slice-conversions.ts'
import type { ValueOperator } from './patterns/value-match.ts'
import type { ColumnCoverage, ColumnDay } from './session-columns/cover-days.ts'
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
  /** The rollup will hold rows before this time only. */
  rolledUpTo: number
  /** Build the rollup from raw rows, even when one exists. */
  isAnew: boolean
  /** Marks of the day's buckets, read before the rollup. A mark is removed unless its bucket was marked again since. */
  marks: { bucket: number; version: number }[]
}

/** Goal in tasks: its key (`goalKey`), and the currency in which it counts reported revenue; empty for none. */
export interface CountedGoal {
  key: string
  currency: string
}

/** What goals convert in the rows of a time span: `targets` name them by their position in a list. */
export interface TargetsOf {
  window: Window
  targets: ConversionTargets
}

/** Day of a site that needs a goal rollup, or more in it. */
export interface GoalDayToCount extends Window {
  siteNo: number
  /** Version of the daily rollup. When it has another one by now, nothing is written. */
  dayVersion: string
  /** Version of the goal rollup that is added to; null to count anew. When it has another one by now, nothing is written. */
  version: string | null
  /** The rollup will hold conversions before this time only: that of the daily rollup. */
  rolledUpTo: number
  /** Goals that are added, from a time on: null for the whole day. Others of the rollup are dropped. */
  parts: { goals: CountedGoal[]; from: number | null; targets: ConversionTargets }[]
}

/** Day of a site whose events of the service are to be counted. */
export interface ServiceDay extends Window {
  siteNo: number
  /** When its row has another version by now, nothing is written. */
  version: string
}

/** Query for a ranked page of values. */
export interface Ranking {
  siteNo: number
  window: Window
  /** See `src/dimensions/rolled-up.ts`. */
  dimension: string
  /** Time zone of the site; `hour_of_week` needs it. */
  zone?: string
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
    Pick<Ranking, 'siteNo' | 'window' | 'dimension' | 'zone' | 'shown' | 'limit' | 'offset'> {
  /** Only values that contain the text, in any case. */
  search?: string | undefined
  /** Required by sorts of what rollups do not count: money and conversions. */
  amounts?: Amounts | undefined
}

export interface RankedValue extends Counts {
  value: string
}

/** A value in a window, of a dimension whose rollups hold times. */
export interface TimedValue extends Pick<Ranking, 'siteNo' | 'window'> {
  dimension: TimedDimension
  value: string
}

/** Sessions of a site whose dimension has one of some values: of a level at which each session has one value that never changes. */
export interface SessionValues extends Pick<Ranking, 'siteNo'> {
  dimension: DimensionOf<'session' | 'session-row'>
  values: string[]
}

/** A condition on what sessions have from their start: one of the values matches or, with a negative operator, none does. */
export interface SessionFilter {
  dimension: DimensionOf<'session' | 'session-row'>
  operator: ValueOperator
  values: string[]
}

/** Sessions of a site that match all filters. */
export interface FilteredSessions extends Pick<Ranking, 'siteNo'> {
  filters: SessionFilter[]
}

/** Counts of rows beside columns: lists of visitors instead of their number. */
export interface CountedRows<Counted> {
  counts: Omit<Counted, 'visitors'>
  visitors: Uint32Array[]
}

export type ValuePart = 'visitors' | 'measures'

/** Whole days, with the rows of a window that their columns lack. */
export interface WindowOfColumns {
  days: ColumnDay[]
  rows: CountedRows<TrafficTotals>[]
}

/** What the sessions with hits of some values paid: minor units, and changes of MRR. Values are of a dimension of hits. */
export interface SessionMoney {
  /** Ascending. */
  sessionNos: Float64Array
  /** As text by session, or null where a session has none of the kind. */
  revenue: (string | null)[]
  mrr: (string | null)[]
}

/** Number of all occurrences, and the distinct times of those of a page, without the `skipped` newest at these times. */
export interface OccurrencePage {
  total: number
  times: number[]
  skipped: number
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

/** `hits`: pageviews, custom events and visitors; `sessions`: all other totals. Totals of a part not requested are 0. */
export type TrafficPart = 'hits' | 'sessions'

/** Inputs and outputs of the tasks of the rollup threads. */
export interface Tasks {
  countTraffic: {
    input: { siteNo: number; windows: Window[]; parts: TrafficPart[] }
    output: TrafficTotals[]
  }
  countSiteVisitors: { input: SiteWindows[]; output: SiteVisitors[] }
  rollUpDay: { input: RolledUpDay; output: undefined }
  /** Null when rollups cannot answer, for example because too little of the window is rolled up. */
  rankValues: { input: Ranking; output: { rows: RankedValue[]; total: number } | null }
  sortValues: { input: SortedRanking; output: { rows: RankedValue[]; total: number } | null }
  /** Counts in the order of `values`; null as for `rankValues`. Without `withVisitors`, `visitors` are 0. */
  countValues: {
    input: Pick<Ranking, 'siteNo' | 'window' | 'dimension' | 'zone'> & {
      values: string[]
      withVisitors?: boolean | undefined
    }
    output: Counts[] | null
  }
  /** Totals of each window as `countTraffic` has them, of sessions with one of the values; null as for `rankValues`. */
  countTrafficOfValues: {
    input: SessionValues & { windows: Window[]; parts: TrafficPart[] }
    output: TrafficTotals[] | null
  }
  /** How each window is read from columns of sessions and rows; null when rows should answer. The windows do not overlap. */
  coverSessionColumns: {
    input: Pick<Ranking, 'siteNo'> & { windows: Window[] }
    output: ColumnCoverage[] | null
  }
  /** Totals of each window, of sessions that match; null when one of the days is not stored any more. */
  countFilteredTraffic: {
    input: FilteredSessions & { windows: WindowOfColumns[] }
    output: TrafficTotals[] | null
  }
  /** Counts of all values that these sessions have, in any order; null also when there are too many. */
  countFilteredValues: {
    input: FilteredSessions & {
      dimension: DimensionOf<'hit' | 'session' | 'session-row'>
      days: ColumnDay[]
      rows: CountedRows<RankedValue>[]
      /** What is needed besides sessions and pageviews; else 0. `measures`: engagement, and of titles the latest hit. */
      counts: ValuePart[]
    }
    output: RankedValue[] | null
  }
  /** Sums by value of what sessions that match and have a hit with it paid; null under the same condition. */
  sumMoneyOfValues: {
    input: FilteredSessions & {
      dimension: DimensionOf<'hit'>
      days: ColumnDay[]
      money: SessionMoney
      /** Hits of these sessions outside the days. */
      rows: { sessionNo: number; value: string }[]
      /** The only values of interest; undefined for all. */
      values: readonly string[] | undefined
    }
    output: { value: string; revenue: bigint; mrr: bigint }[] | null
  }
  /**
   * How often a value occurred in each of the buckets that begin at `bounds`: of an error its hits, of a title the sessions that saw
   * it, by their start. The first bucket begins no later than the window. Null as for `rankValues`.
   */
  countValueTimes: { input: TimedValue & { bounds: number[] }; output: number[] | null }
  /** Where a page of the occurrences of a value lies, the newest first; null as for `rankValues`. */
  locateValueTimes: {
    input: TimedValue & Pick<Ranking, 'limit' | 'offset'>
    output: OccurrencePage | null
  }
  /** When errors of a site occurred first and last, ever, by id; those without occurrence are absent. */
  findErrorEnds: { input: { siteNo: number; ids: string[] }; output: Map<string, ErrorEnds> }
  /**
   * Hits of a site in a window of whole minutes by minute, and those since `presentFrom` by value, at most `limit` of each dimension. Null
   * when rows should answer. All in Unix milliseconds.
   */
  countLive: {
    input: { siteNo: number; start: number; end: number; presentFrom: number; limit: number }
    output: LiveCounts | null
  }
  /** Counts of a value in buckets, and its distinct visitors in their window; null as for `rankValues`. */
  explainValue: {
    input: Pick<Ranking, 'siteNo' | 'window' | 'dimension' | 'zone'> & { value: string; buckets: Window[] }
    output: { buckets: Counts[]; visitors: number } | null
  }
  /** Groups of goals that rollups answer for, and the time spans in which their targets must be known, for `countGoals`. */
  coverGoals: {
    input: { siteNo: number; window: Window; goals: string[] }
    output: { goals: string[]; windows: Window[] }[]
  }
  /** Conversions in the order of the groups and their goals; null when targets are missing for a part of the rows. */
  countGoals: {
    input: {
      siteNo: number
      window: Window
      groups: {
        goals: CountedGoal[]
        rows: TargetsOf[]
        /** What events of the service convert, in the whole window. */
        service: ConversionTargets
      }[]
    }
    output: { conversions: number; visitors: number; revenue: bigint }[] | null
  }
  /** Values that goals of each kind can match among the hits of a window, from memory; null when rows should be read. */
  listGoalValues: {
    input: { siteNo: number; window: Window; kinds: string[] }
    output: Map<string, string[]> | null
  }
  rollUpGoals: { input: GoalDayToCount; output: undefined }
  countServiceDay: { input: ServiceDay; output: undefined }
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
