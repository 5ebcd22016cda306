import type { Pool } from '../infra/pool.ts'
import type { ValueTest } from './values.ts'

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

/** Every task of the rollup threads: what goes in, what comes out. */
export interface Tasks {
  countTraffic: { input: { siteNo: number; windows: Window[] }; output: TrafficTotals[] }
  countSiteVisitors: { input: SiteWindows[]; output: SiteVisitors[] }
  matchValues: { input: { tests: ValueTest[]; values: string[] }; output: number[][] }
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
