import type { ValueOperator } from '../value-match.ts'

export interface ValueTest {
  operator: ValueOperator
  value: string
}

/** The tasks of the pattern threads: what goes in, what comes out. They need no database. */
export interface PatternTasks {
  /** What each test takes per character (`Match.steps`), or why one cannot be used. */
  compileTests: {
    input: ValueTest[]
    output: { steps: number[] } | { refused: number; reason: string }
  }
  /** Which of the values pass each test, as their indices. */
  matchValues: { input: ValueBatch; output: BatchMatches }
}

export interface ValueBatch {
  tests: ValueTest[]
  values: string[]
  /** Most matches of all tests together. */
  most: number
  /** Milliseconds of CPU. */
  budgetMs: number
}

export interface BatchMatches {
  matches: Int32Array[]
  usedMs: number
  /** Set when the work was cut off, which leaves `matches` incomplete. */
  cutOff: 'most' | 'budget' | undefined
}
