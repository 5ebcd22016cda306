import { LRUCache } from 'lru-cache'
import { compileMatch, InvalidPatternError } from '../value-match.ts'
import { cpuMs } from './cpu-clock.ts'
import type { BatchMatches, PatternTasks, ValueBatch, ValueTest } from './protocol.ts'

type TaskTable = {
  [Name in keyof PatternTasks]: (input: PatternTasks[Name]['input']) => PatternTasks[Name]['output']
}

/** Tasks of a pattern thread, by name. */
export const patternTasks: TaskTable = { compileTests, matchValues }

/** Compiled tests are cached for later batches. Few, because each may hold some ten megabytes of matcher state. */
const MOST_COMPILED = 16
const compiled = new LRUCache<string, ReturnType<typeof compileMatch>>({ max: MOST_COMPILED })

function matchOf({ operator, value }: ValueTest) {
  if (operator !== 'matches_regex' && operator !== 'matches_pattern') return compileMatch(operator, value)
  const key = `${operator} ${value}`
  const known = compiled.get(key)
  if (known) return known
  const match = compileMatch(operator, value)
  compiled.set(key, match)
  return match
}

function compileTests(tests: ValueTest[]): PatternTasks['compileTests']['output'] {
  const steps: number[] = []
  for (const [index, test] of tests.entries()) {
    try {
      steps.push(matchOf(test).steps)
    } catch (error) {
      if (error instanceof InvalidPatternError) return { refused: index, reason: error.message }
      throw error
    }
  }
  return { steps }
}

/** Steps between two clock checks: up to 20 ms with the slowest expressions, 1 ms with others. */
const STEPS_A_LOOK = 100_000
/** Fixed cost of a value in addition to its characters: without it, a million empty values would be free. */
const STEPS_A_VALUE = 8

/** CPU time limit of one task. The clock is checked between values. */
class Budget {
  readonly #startedAt = cpuMs()
  readonly #budgetMs: number
  #steps = 0

  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs
  }

  usedMs(): number {
    return cpuMs() - this.#startedAt
  }

  isSpentBy(steps: number): boolean {
    this.#steps += steps
    if (this.#steps < STEPS_A_LOOK) return false
    this.#steps = 0
    return this.usedMs() > this.#budgetMs
  }
}

function matchValues({ tests, values, most, budgetMs }: ValueBatch): BatchMatches {
  const budget = new Budget(budgetMs)
  const matches: Int32Array[] = []
  const byValue = tests.some(isWhole) ? indicesOf(values) : undefined
  let count = 0
  for (const test of tests) {
    const found = byValue && isWhole(test) ? (byValue.get(test.value) ?? []) : find(test, values, budget)
    if (!found) return { matches, usedMs: budget.usedMs(), cutOff: 'budget' }
    count += found.length
    if (count > most) return { matches, usedMs: budget.usedMs(), cutOff: 'most' }
    matches.push(Int32Array.from(found))
  }
  return { matches, usedMs: budget.usedMs(), cutOff: undefined }
}

/** @returns undefined when the budget is spent */
function find(test: ValueTest, values: string[], budget: Budget): number[] | undefined {
  const isMatch = matchOf(test)
  const found: number[] = []
  for (const [index, text] of values.entries()) {
    if (budget.isSpentBy(isMatch.steps * text.length + STEPS_A_VALUE)) return undefined
    if (isMatch(text)) found.push(index)
  }
  return found
}

/** Returns true when a text passes the test only if it equals the value. */
const isWhole = ({ operator, value }: ValueTest) =>
  operator === 'is' || (operator === 'matches_pattern' && !value.includes('*'))

function indicesOf(values: string[]): Map<string, number[]> {
  const indices = new Map<string, number[]>()
  for (const [index, text] of values.entries()) {
    const same = indices.get(text)
    if (same) same.push(index)
    else indices.set(text, [index])
  }
  return indices
}
