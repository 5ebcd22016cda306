import { RE2JS } from 're2js'
import { compileWildcards, textsOf } from './wildcards.ts'

/** Operators of goals and filters. All are case-sensitive; all compare literally except the last two. */
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

/** Thrown for a value that cannot be used as a regular expression. */
export class InvalidPatternError extends Error {
  override name = 'InvalidPatternError'
}

interface Match {
  (text: string): boolean
  /**
   * Maximum steps per character of a text: instructions of an expression, or 32-bit words of a wildcard pattern.
   * 0: only `wholeValuesOf` match, so map look-ups replace all such comparisons.
   */
  steps: number
}

/**
 * Compiles a comparison with a value. Its time is linear in the length of the text for every pattern.
 * - `matches_pattern`: `*` matches any characters except `/`, `**` (or more) any characters; the whole text must match, with or
 *   without one slash at its end
 * - `matches_regex`: RE2 syntax, matches anywhere in the text unless anchored; after use, an expression keeps up to 8 MB
 *   of matcher state
 * @throws InvalidPatternError for `matches_regex` with a value that RE2 refuses or that compiles to too many instructions
 */
export function compileMatch(operator: ValueOperator, value: string): Match {
  if (operator === 'matches_regex') return compileRegex(value)
  return Object.assign(comparison(operator, value), { steps: stepsOf(operator, value) })
}

/** Returns the only texts that pass a comparison; undefined when they cannot be listed. */
export function wholeValuesOf(operator: ValueOperator, value: string): string[] | undefined {
  if (operator === 'is') return [value]
  return operator === 'matches_pattern' ? textsOf(value) : undefined
}

function stepsOf(operator: ValueOperator, value: string): number {
  if (wholeValuesOf(operator, value)) return 0
  return operator === 'matches_pattern' ? (value.length >>> 5) + 1 : 1
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
 * Maximum instructions of a compiled expression: matching may run each of them for each character of a text. A literal has
 * one for each character; a counted repetition has those of its content for each time.
 */
const MAX_INSTRUCTIONS = 5_000

/** Maximum of `estimateInstructions`: compiling a larger expression takes seconds. */
const MAX_ESTIMATE = 100_000

/**
 * Maximum of case-insensitive ranges that may span most of Unicode. RE2JS changes the case of each character in a range
 * separately, which takes 27 ms for `[a-\x{10ffff}]`.
 */
const MAX_FOLDED_RANGES = 10
/** Maximum of Unicode property classes such as `\pL`: each takes 1 ms to compile when case is ignored. */
const MAX_UNICODE_CLASSES = 100

const IGNORES_CASE = /\(\?[a-zA-Z-]*i/
/** End of a range that is escaped or not ASCII. */
const WIDE_RANGE = /-(?:\\|[^\0-\x7f])/g
const UNICODE_CLASS = /\\[pP]|\[:/g

const countOf = (value: string, wanted: RegExp) => value.match(wanted)?.length ?? 0

/**
 * Returns why an expression is refused before compiling, or undefined. Only compiling shows whether it is valid; that takes
 * up to a few hundred milliseconds, so it must run in a thread.
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
 * Estimates the number of instructions of a regular expression without compiling it.
 * Never less than half of the real number, often more: for a counted repetition of a group (`){3}`), everything before it
 * counts as the group's content, up to 1,000 times, the maximum of RE2. Other repetitions repeat one instruction.
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
