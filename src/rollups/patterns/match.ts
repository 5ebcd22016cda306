import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FairPool } from '../../threads/fair-pool.ts'
import { type BatchMatches, MOST_STEPS_OF_A_VALUE, type PatternTasks, type ValueTest } from './protocol.ts'

/** Reason why tests were refused; `test` is the index of the test that caused it. */
export type Refusal =
  | { why: 'invalid'; test: number; reason: string }
  | { why: 'costly'; test: number }
  | { why: 'many' }

/** Characters of all values together, and of the longest value. */
export interface ValueSize {
  characters: number
  longest: number
}

/** Receives the matches of a test, as indices of `values`. */
export type Found = (test: number, matches: Int32Array, values: readonly string[]) => void

/**
 * Maximum steps of one request: characters of the values multiplied by the steps per character of each test
 * (`Match.steps`). A step takes 0.1 to 5 ns with ordinary patterns, and up to 300 ns with an expression written to be slow;
 * `BUDGET_MS` stops those.
 */
export const MOST_STEPS = 1_000_000_000
/** CPU time limit of matching for one request. `^/blog/\d+` takes up to 1 s for 500,000 paths. */
const BUDGET_MS = 1_500
/** CPU time after which the time of a group of tests is projected from the steps that are done. */
const PROJECTED_AFTER_MS = 150
/** A group is refused when its projected time is this many budgets: the first values may be the slowest. */
const MOST_BUDGETS = 3

/** Size of one batch for a thread: a few milliseconds of ordinary matching, and no more time for copying. */
const BATCH_STEPS = 3_000_000
const BATCH_CHARACTERS = 250_000
const BATCH_VALUES = 10_000
/** Maximum number of tests with a large compiled form in one batch. */
const BATCH_PATTERNS = 8
/** Number of matches after which the event loop gets a turn. */
const MATCHES_A_TURN = 20_000

/** Pattern matching of one request, with shared limits for all its patterns. */
export class PatternWork {
  readonly #patterns: Pick<FairPool, 'run'>
  readonly #signal: AbortSignal | undefined
  /** By the list of tests: `check` and `match` are called with the same list. */
  readonly #compiled = new WeakMap<ValueTest[], PatternTasks['compileTests']['output']>()
  #steps = 0
  #budgetMs: number
  readonly #mostProjectedMs: number

  constructor(patterns: Pick<FairPool, 'run'>, signal: AbortSignal | undefined, budgetMs = BUDGET_MS) {
    this.#patterns = patterns
    this.#signal = signal
    this.#budgetMs = budgetMs
    this.#mostProjectedMs = MOST_BUDGETS * budgetMs
  }

  /**
   * Checks whether all tests can be used.
   * @param size of the values to match, if it is known
   * @returns undefined when all tests can be used
   */
  async check(tests: ValueTest[], size: ValueSize = NOTHING): Promise<Refusal | undefined> {
    const compiled = await this.#compile(tests)
    if (!('steps' in compiled)) return { why: 'invalid', test: compiled.refused, reason: compiled.reason }
    const { steps } = compiled
    const isTooCostly =
      this.#steps + size.characters * sumOf(steps) > MOST_STEPS ||
      size.longest * Math.max(...steps) > MOST_STEPS_OF_A_VALUE
    return isTooCostly ? { why: 'costly', test: costliestOf(steps) } : undefined
  }

  /**
   * Finds the values that pass each test. Refuses tests that are too costly before it matches any value; checks the CPU time
   * between values.
   * @param most maximum number of matches of all tests together
   * @param found called several times for each test, each time with some of the values
   * @returns undefined when all values were matched
   */
  async match(
    { tests, values, most }: { tests: ValueTest[]; values: string[]; most: number },
    found: Found,
  ): Promise<Refusal | undefined> {
    const size = sizeOf(values)
    const refusal = await this.check(tests, size)
    if (refusal) return refusal
    const { steps } = (await this.#compile(tests)) as { steps: number[] }
    const costliest = costliestOf(steps)
    this.#steps += size.characters * sumOf(steps)
    let left = most
    for (const group of groupsOf(tests, steps)) {
      const groupTests = group.map(index => tests[index]!)
      const stepsOfGroup = sumOf(group.map(index => steps[index]!))
      let usedMs = 0
      let matched = 0
      for (const batch of batchesOf(values, stepsOfGroup)) {
        const input = { tests: groupTests, values: batch, most: left, budgetMs: this.#budgetMs }
        const answer = await this.#run('matchValues', input)
        this.#budgetMs -= answer.usedMs
        usedMs += answer.usedMs
        matched += sizeOf(batch).characters
        if (answer.cutOff === 'most') return { why: 'many' }
        // On a busy machine, the threads of low priority would take many seconds to use up the budget.
        const isHopeless =
          usedMs > PROJECTED_AFTER_MS && usedMs * size.characters > this.#mostProjectedMs * matched
        if (answer.cutOff === 'budget' || this.#budgetMs <= 0 || isHopeless) {
          return { why: 'costly', test: group.includes(costliest) ? costliest : group[0]! }
        }
        left -= await handOver(answer, group, batch, found)
      }
    }
    return undefined
  }

  async #compile(tests: ValueTest[]): Promise<PatternTasks['compileTests']['output']> {
    const known = this.#compiled.get(tests)
    if (known) return known
    const compiled = await this.#run('compileTests', tests)
    this.#compiled.set(tests, compiled)
    return compiled
  }

  #run<Name extends keyof PatternTasks>(
    task: Name,
    input: PatternTasks[Name]['input'],
  ): Promise<PatternTasks[Name]['output']> {
    return this.#patterns.run(task, input, this.#signal) as Promise<PatternTasks[Name]['output']>
  }
}

const sumOf = (steps: number[]) => steps.reduce((sum, each) => sum + each, 0)
const costliestOf = (steps: number[]) => steps.indexOf(Math.max(...steps))

const NOTHING: ValueSize = { characters: 0, longest: 0 }

export function sizeOf(values: readonly string[]): ValueSize {
  const size = { ...NOTHING }
  for (const { length } of values) {
    size.characters += length
    if (length > size.longest) size.longest = length
  }
  return size
}

/**
 * Divides tests into groups, one for each task of a thread: patterns in groups of `BATCH_PATTERNS`, all other tests in one group.
 * @returns indices of tests
 */
function groupsOf(tests: ValueTest[], steps: number[]): number[][] {
  const isLarge = (index: number) => tests[index]!.operator === 'matches_regex' || steps[index]! > 1
  const all = tests.map((_, index) => index)
  const large = all.filter(isLarge)
  const groups = [all.filter(index => !isLarge(index))]
  for (let first = 0; first < large.length; first += BATCH_PATTERNS) {
    groups.push(large.slice(first, first + BATCH_PATTERNS))
  }
  return groups.filter(group => group.length > 0)
}

/** Splits values into batches for the threads. */
function* batchesOf(values: string[], steps: number): Generator<string[]> {
  const most = Math.min(BATCH_CHARACTERS, BATCH_STEPS / Math.max(1, steps))
  let first = 0
  let characters = 0
  for (let index = 0; index < values.length; index++) {
    const { length } = values[index]!
    if (index > first && (characters + length > most || index - first >= BATCH_VALUES)) {
      yield values.slice(first, index)
      first = index
      characters = 0
    }
    characters += length
  }
  if (first < values.length) yield values.slice(first)
}

/** @returns the number of matches */
async function handOver(
  { matches }: BatchMatches,
  group: number[],
  batch: string[],
  found: Found,
): Promise<number> {
  let count = 0
  let sinceTurn = 0
  for (const [position, each] of matches.entries()) {
    if (each.length === 0) continue
    found(group[position]!, each, batch)
    count += each.length
    sinceTurn += each.length
    if (sinceTurn >= MATCHES_A_TURN) {
      sinceTurn = 0
      await nextTurn()
    }
  }
  return count
}
