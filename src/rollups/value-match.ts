import { RE2JS } from 're2js'
import { compileWildcards } from './wildcards.ts'

/** How goals and filters compare a value: case-sensitive, and literal but for the last two. */
export const VALUE_OPERATORS = [
  'is',
  'is_not',
  'contains',
  'does_not_contain',
  'starts_with',
  'ends_with',
  'matches_pattern',
  'matches_regex',
] as const
export type ValueOperator = (typeof VALUE_OPERATORS)[number]

/** What a value that is no regular expression is answered with. */
export class InvalidPatternError extends Error {
  override name = 'InvalidPatternError'
}

type Match = (text: string) => boolean

/**
 * The comparison with a value. Time is linear in the text, whatever the pattern.
 * - `matches_pattern`: `*` stands for any run without `/`, `**` (or more) for any run; the whole text
 * - `matches_regex`: RE2 syntax, anywhere in the text unless anchored; one that has run keeps up to 8 MB of what it
 *   learned
 * @throws InvalidPatternError for `matches_regex` with a value that RE2 refuses or that grows too large
 */
export function compileMatch(operator: ValueOperator, value: string): Match {
  switch (operator) {
    case 'is':
      return text => text === value
    case 'is_not':
      return text => text !== value
    case 'contains':
      return text => text.includes(value)
    case 'does_not_contain':
      return text => !text.includes(value)
    case 'starts_with':
      return text => text.startsWith(value)
    case 'ends_with':
      return text => text.endsWith(value)
    case 'matches_pattern':
      return compileWildcards(value)
    case 'matches_regex':
      return compileRegex(value)
  }
}

/** Whether `compileMatch` takes the value. */
export function isValidPattern(operator: ValueOperator, value: string): boolean {
  if (operator !== 'matches_regex') return true
  try {
    compileRegex(value)
    return true
  } catch (error) {
    if (error instanceof InvalidPatternError) return false
    throw error
  }
}

/**
 * Most instructions of a compiled expression: each may be looked at for each character of a text. A literal has one for
 * each of its characters, a repetition as many as it repeats.
 */
const MAX_INSTRUCTIONS = 5_000

/** What an expression may come to by the estimate below: compiling more takes seconds. */
const MAX_ESTIMATE = 100_000

function compileRegex(value: string): Match {
  if (estimateInstructions(value) > MAX_ESTIMATE) throw tooLarge()
  let pattern: RE2JS
  try {
    pattern = RE2JS.compile(value)
  } catch (error) {
    throw new InvalidPatternError('is not a regular expression in RE2 syntax', { cause: error })
  }
  if (pattern.programSize() > MAX_INSTRUCTIONS) throw tooLarge()
  return text => pattern.test(text)
}

function tooLarge() {
  return new InvalidPatternError('is too large a regular expression: it repeats too much')
}

/**
 * About what a regular expression compiles to, without compiling it.
 * Never less than half the instructions, often more: all that stands before the counted repetition of a group (`){3}`)
 * is taken for its content, within the thousandfold that RE2 allows. Other repetitions are of one instruction.
 */
export function estimateInstructions(value: string): number {
  let once = 0
  let total = 0
  let read = 0
  const add = (count: number) => {
    once += count
    total += count
  }
  for (const { 0: text, 1: group, 2: min, 3: max, index } of value.matchAll(COUNTED)) {
    const count = Math.max(1, Number(min), Number(max || 0))
    add(index + text.length - read)
    read = index + text.length
    if (group) total = Math.min(total * count, once * 1_000)
    else add(Math.min(count, 1_000))
  }
  add(value.length - read)
  return total
}

const COUNTED = /(\))?\{(\d+)(?:,(\d*))?\}/g
