import { readFileSync } from 'node:fs'
import { LRUCache } from 'lru-cache'
import {
  type EachBatch,
  type EachMatches,
  MOST_STEPS_OF_A_VALUE,
  type PatternTasks,
  type TestResult,
  type ValueTest,
} from './pattern-protocol.ts'
import { compileMatch, InvalidPatternError, wholeValuesOf } from './value-match.ts'

type TaskTable = {
  [Name in keyof PatternTasks]: (input: PatternTasks[Name]['input']) => PatternTasks[Name]['output']
}

/** Tasks of a pattern thread, by name. */
export const patternTasks: TaskTable = { compileTests, matchEach }

/** Compiled tests are cached for later batches. Few, because each may hold some ten megabytes of matcher state. */
const MOST_COMPILED = 16
const compiled = new LRUCache<string, ReturnType<typeof compileMatch>>({ max: MOST_COMPILED })

function matchOf({ operator, value }: ValueTest) {
  if (operator !== 'matches_regex' && operator !== 'matches_pattern') return compileMatch(operator, value)
  const key = `${operator} ${value}`
  const match = compiled.get(key) ?? compileMatch(operator, value)
  compiled.set(key, match)
  return match
}

function compileTests(tests: ValueTest[]): PatternTasks['compileTests']['output'] {
  for (const [index, test] of tests.entries()) {
    try {
      matchOf(test)
    } catch (error) {
      if (error instanceof InvalidPatternError) return { test: index, reason: error.message }
      throw error
    }
  }
  return undefined
}

/** Steps between two clock checks: up to 20 ms with the slowest expressions, 1 ms with others. */
const STEPS_A_LOOK = 100_000
/** Fixed cost of a value in addition to its characters: without it, a million empty values would be free. */
const STEPS_A_VALUE = 8

/** CPU time of this thread, so that work of other threads does not use up a time limit. Only Linux reports it. */
const STATISTICS = '/proc/thread-self/schedstat'
const readCpuMs = () => Number(readFileSync(STATISTICS, 'latin1').split(' ')[0]) / 1e6
const hasStatistics = (() => {
  try {
    return readCpuMs() > 0
  } catch {
    return false
  }
})()
const now = hasStatistics ? readCpuMs : () => performance.now()

/** Returns a function that adds steps and says whether the time limit is reached. The clock is checked between values. */
function limitSteps(startedAt: number, budgetMs: number): (steps: number) => boolean {
  let stepsSinceLook = 0
  return steps => {
    stepsSinceLook += steps
    if (stepsSinceLook < STEPS_A_LOOK) return false
    stepsSinceLook = 0
    return now() - startedAt > budgetMs
  }
}

function matchEach({ tests, values, testMs, budgetMs }: EachBatch): EachMatches {
  const startedAt = now()
  const byValue = tests.some(isWhole) ? indicesOf(values) : undefined
  const results: TestResult[] = []
  for (const test of tests) {
    if (results.length > 0 && now() - startedAt > budgetMs) break
    const whole = byValue && findWhole(test, byValue)
    results.push(whole ? Int32Array.from(whole) : resultOf(test, values, testMs))
  }
  return { results, usedMs: now() - startedAt }
}

/** A value that is too long for the test does not pass it: one long path must not turn off a goal. */
function resultOf(test: ValueTest, values: string[], testMs: number): TestResult {
  const startedAt = now()
  try {
    const found = find(test, values, limitSteps(startedAt, testMs))
    // Also one that took its time for compiling: it would again with the next values.
    return found && now() - startedAt <= testMs ? Int32Array.from(found) : 'slow'
  } catch (error) {
    if (error instanceof InvalidPatternError) return 'invalid'
    throw error
  }
}

/** @returns undefined when the time limit is reached */
function find(
  test: ValueTest,
  values: string[],
  isSpentBy: (steps: number) => boolean,
): number[] | undefined {
  const isMatch = matchOf(test)
  const found: number[] = []
  for (const [index, text] of values.entries()) {
    if (isMatch.steps * text.length > MOST_STEPS_OF_A_VALUE) continue
    if (isSpentBy(isMatch.steps * text.length + STEPS_A_VALUE)) return undefined
    if (isMatch(text)) found.push(index)
  }
  return found
}

/** Returns the indices of the values that pass a test which only some whole texts pass; undefined for another test. */
function findWhole({ operator, value }: ValueTest, byValue: Map<string, number[]>): number[] | undefined {
  const wanted = wholeValuesOf(operator, value)
  const found = wanted?.flatMap(text => byValue.get(text) ?? [])
  return wanted && wanted.length > 1 ? found!.sort((a, b) => a - b) : found
}

const isWhole = ({ operator, value }: ValueTest) => wholeValuesOf(operator, value) !== undefined

function indicesOf(values: string[]): Map<string, number[]> {
  const indices = new Map<string, number[]>()
  for (const [index, text] of values.entries()) {
    const same = indices.get(text)
    if (same) same.push(index)
    else indices.set(text, [index])
  }
  return indices
}
