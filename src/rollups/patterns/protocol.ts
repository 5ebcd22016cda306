import type { ValueOperator } from './value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/** Inputs and outputs of the tasks of the pattern threads. The tasks use no database. */
export interface PatternTasks {
  /** Returns the steps per character of each test (`Match.steps`), or why one test cannot be used. */
  compileTests: {
    input: ValueTest[]
    output: { steps: number[] } | { refused: number; reason: string }
  }
  /** Returns the indices of the values that pass each test. */
  matchValues: { input: ValueBatch; output: BatchMatches }
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
