import type { ValueOperator } from './value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/** Maximum steps for one value. Matching cannot stop inside a value; this many take up to 1 s with the slowest expressions. */
export const MOST_STEPS_OF_A_VALUE = 5_000_000

/** Inputs and outputs of the tasks of the pattern threads. The tasks use no database. */
export interface PatternTasks {
  /** Returns the steps per character of each test (`Match.steps`), or why one test cannot be used. */
  compileTests: {
    input: ValueTest[]
    output: { steps: number[] } | { refused: number; reason: string }
  }
  /** Returns the indices of the values that pass each test. */
  matchValues: { input: ValueBatch; output: BatchMatches }
  /** Handles the tests one after the other, each with a time limit of its own, so that a slow one takes nothing from the others. */
  matchEach: { input: EachBatch; output: EachMatches }
}

export interface EachBatch {
  tests: ValueTest[]
  values: string[]
  /** CPU time limit of one test in milliseconds. */
  testMs: number
  /** After this CPU time in milliseconds no further test begins. The first one always does. */
  budgetMs: number
}

/** Indices of the values that pass a test, or why it was given up. */
export type TestResult = Int32Array | 'invalid' | 'slow'

export interface EachMatches {
  /** Of the first tests, as many as were handled in time. */
  results: TestResult[]
  usedMs: number
}

export interface ValueBatch {
  tests: ValueTest[]
  values: string[]
  /** Maximum number of matches of all tests together. */
  most: number
  /** CPU time limit in milliseconds. */
  budgetMs: number
}

export interface BatchMatches {
  matches: Int32Array[]
  usedMs: number
  /** Limit that stopped the work; `matches` is incomplete then. */
  cutOff: 'most' | 'budget' | undefined
}
