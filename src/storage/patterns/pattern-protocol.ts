import type { ValueOperator } from './value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/** Maximum steps for one value. Matching cannot stop inside a value; this many take up to 1 s with the slowest expressions. */
export const MOST_STEPS_OF_A_VALUE = 5_000_000

/** Inputs and outputs of the tasks of the pattern threads. The tasks use no database. */
export interface PatternTasks {
  /** Returns the first test that cannot be used; undefined when all can. */
  compileTests: { input: ValueTest[]; output: RefusedTest | undefined }
  /** Handles the tests one after the other, each with a time limit of its own, so that a slow one takes nothing from the others. */
  matchEach: { input: EachBatch; output: EachMatches }
}

/** Why a test cannot be used, and its index. */
export interface RefusedTest {
  test: number
  reason: string
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
