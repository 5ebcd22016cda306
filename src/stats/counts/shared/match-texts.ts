import type { View } from '../../../storage/columns/block.ts'
import type { Texts } from '../../../storage/columns/texts.ts'
import { MOST_STEPS_OF_A_VALUE } from '../../../storage/patterns/pattern-protocol.ts'
import {
  compileMatch,
  InvalidPatternError,
  type ValueOperator,
  wholeValuesOf,
} from '../../../storage/patterns/value-match.ts'
import type { Condition } from '../../conditions/conditions.ts'
import type { Question } from '../question.ts'
import { type Compared, CountRefused } from '../refused.ts'
import { OccurringTexts } from './occurring-texts.ts'

/**
 * Most steps of the comparisons of one question: characters of the texts, multiplied by the steps per character of each pattern
 * (`Match.steps`). A step takes 0.1 to 5 ns with ordinary patterns, and up to 300 ns with an expression written to be slow;
 * `BUDGET_MS` stops those.
 */
const MOST_STEPS = 1_000_000_000
/** Time limit of the comparisons of one question. `^/blog/\d+` takes up to 1 s for 500,000 paths. */
const BUDGET_MS = 1_500
/** Comparing all texts of a site, of the range or not, takes less than finding those of the range. */
const CHEAP_STEPS = 1_000_000
/** Texts between two looks at the clock. */
const TEXTS_A_LOOK = 1_000

/** Compares the texts that occur in the range of a question, and bounds what all its comparisons take together. */
export class TextMatcher {
  readonly #occurring: OccurringTexts
  #steps = MOST_STEPS
  #ms = BUDGET_MS

  constructor(view: View, range: Pick<Question, 'start' | 'end' | 'sessions'>) {
    this.#occurring = new OccurringTexts(view, range)
  }

  /**
   * Marks the texts that pass a comparison.
   * @param passes marked with 1 by number of the text
   * @throws CountRefused
   */
  mark(texts: Texts, operator: ValueOperator, compared: Compared, passes: Uint8Array): void {
    const { value } = compared
    const whole = wholeValuesOf(operator, value)
    if (whole) {
      for (const text of whole) {
        const number = texts.find(text)
        if (number !== undefined && number < passes.length) passes[number] = 1
      }
      return
    }
    const matches = compiled(operator, compared)
    const all = texts.all()
    let size = sizeOf(all)
    const isCheap = size.characters * matches.steps <= CHEAP_STEPS
    const occurs = isCheap ? undefined : this.#occurring.of(texts)
    if (occurs) size = sizeOf(all.filter((_, number) => occurs[number] === 1))
    this.#steps -= size.characters * matches.steps
    if (this.#steps < 0 || size.longest * matches.steps > MOST_STEPS_OF_A_VALUE) throw tooCostly(compared)
    let lookedAt = performance.now()
    for (let number = 0; number < passes.length; number++) {
      if (occurs?.[number] !== 0 && matches(all[number]!)) passes[number] = 1
      if (number % TEXTS_A_LOOK !== 0) continue
      const now = performance.now()
      this.#ms -= now - lookedAt
      lookedAt = now
      if (this.#ms < 0) throw tooCostly(compared)
    }
  }
}

function sizeOf(texts: readonly string[]): { characters: number; longest: number } {
  let [characters, longest] = [0, 0]
  for (const { length } of texts) {
    characters += length
    if (length > longest) longest = length
  }
  return { characters, longest }
}

const tooCostly = (compared: Compared) => new CountRefused({ why: 'costly', ...compared })

function compiled(operator: ValueOperator, compared: Compared) {
  try {
    return compileMatch(operator, compared.value)
  } catch (error) {
    if (!(error instanceof InvalidPatternError)) throw error
    throw new CountRefused({ why: 'invalid', ...compared, reason: error.message })
  }
}

export const isNegative = ({ operator }: Pick<Condition, 'operator'>): boolean =>
  operator === 'is_not' || operator === 'does_not_contain'

/** Operator that says the opposite: a text passes a negative condition when it passes none of its values. */
const POSITIVE = { is_not: 'is', does_not_contain: 'contains' } as const

/** Returns for each text whether it passes a condition, by number. */
function passesOf(texts: Texts, { field, operator, values }: Condition, matcher: TextMatcher): Uint8Array {
  const passes = new Uint8Array(texts.size)
  const positive = operator === 'is_not' || operator === 'does_not_contain' ? POSITIVE[operator] : operator
  for (const value of values) matcher.mark(texts, positive, { field, value }, passes)
  if (positive !== operator) for (let number = 0; number < passes.length; number++) passes[number]! ^= 1
  return passes
}

/** Returns for each text whether it passes all conditions, by number; undefined without conditions. */
export function passesAll(
  texts: Texts,
  conditions: readonly Condition[],
  matcher: TextMatcher,
): Uint8Array | undefined {
  let all: Uint8Array | undefined
  for (const condition of conditions) {
    const passes = passesOf(texts, condition, matcher)
    if (all) for (let number = 0; number < all.length; number++) all[number]! &= passes[number]!
    else all = passes
  }
  return all
}
