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

interface Match {
  (text: string): boolean
  /**
   * Most steps per character of a text: the instructions of an expression, the words of bits of a wildcard pattern.
   * 0: the whole text is compared with the value, which a look-up does for all such comparisons at once.
   */
  steps: number
}

/**
 * The comparison with a value. Time is linear in the text, whatever the pattern.
 * - `matches_pattern`: `*` stands for any run without `/`, `**` (or more) for any run; the whole text
 * - `matches_regex`: RE2 syntax, anywhere in the text unless anchored; one that has run keeps up to 8 MB of what it
 *   learned
 * @throws InvalidPatternError for `matches_regex` with a value that RE2 refuses or that grows too large
 */
export function compileMatch(operator: ValueOperator, value: string): Match {
  if (operator === 'matches_regex') return compileRegex(value)
  return Object.assign(comparison(operator, value), { steps: stepsOf(operator, value) })
}

function stepsOf(operator: ValueOperator, value: string): number {
  if (operator === 'is') return 0
  if (operator !== 'matches_pattern') return 1
  return value.includes('*') ? (value.length >>> 5) + 1 : 0
}

function comparison(
  operator: Exclude<ValueOperator, 'matches_regex'>,
  value: string,
): (text: string) => boolean {
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
  }
}

/**
 * Most instructions of a compiled expression: each may be looked at for each character of a text. A literal has one for
 * each of its characters, a repetition as many as it repeats.
 */
const MAX_INSTRUCTIONS = 5_000

/** What an expression may come to by the estimate below: compiling more takes seconds. */
const MAX_ESTIMATE = 100_000

/**
 * Case-insensitive ranges that may span most of Unicode: RE2JS folds each character of a range by itself, which takes
 * 27 ms for `[a-\x{10ffff}]`.
 */
const MAX_FOLDED_RANGES = 10
/** Classes by a property of Unicode, such as `\pL`: each takes 1 ms to compile where case does not matter. */
const MAX_UNICODE_CLASSES = 100

const IGNORES_CASE = /\(\?[a-zA-Z-]*i/
/** The end of a range, unless it is ASCII written as itself. */
const WIDE_RANGE = /-(?:\\|[^\0-\x7f])/g
const UNICODE_CLASS = /\\[pP]|\[:/g

const countOf = (value: string, wanted: RegExp) => value.match(wanted)?.length ?? 0

/**
 * Why an expression is refused without being compiled, as far as its text tells. Whether it is valid, only compiling says:
 * that takes up to a few hundred milliseconds and is for threads.
 */
export function refusalOfText(value: string): string | undefined {
  if (estimateInstructions(value) > MAX_ESTIMATE) return TOO_LARGE
  if (IGNORES_CASE.test(value) && countOf(value, WIDE_RANGE) > MAX_FOLDED_RANGES) return TOO_MANY_CLASSES
  return countOf(value, UNICODE_CLASS) > MAX_UNICODE_CLASSES ? TOO_MANY_CLASSES : undefined
}

const TOO_LARGE = 'is too large a regular expression: it repeats too much'
const TOO_MANY_CLASSES = `is too large a regular expression: at most ${MAX_UNICODE_CLASSES} classes by a property of Unicode, and at most ${MAX_FOLDED_RANGES} wide ranges where case does not matter`

function compileRegex(value: string): Match {
  const refusal = refusalOfText(value)
  if (refusal !== undefined) throw new InvalidPatternError(refusal)
  let pattern: RE2JS
  try {
    pattern = RE2JS.compile(value)
  } catch (error) {
    throw new InvalidPatternError('is not a regular expression in RE2 syntax', { cause: error })
  }
  const steps = pattern.programSize()
  if (steps > MAX_INSTRUCTIONS) throw new InvalidPatternError(TOO_LARGE)
  return Object.assign((text: string) => pattern.test(text), { steps })
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
