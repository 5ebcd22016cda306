import type { Range } from '../../platform/time/range.ts'
import type { Explanation, TermName } from './explanation.ts'
import { type ExplanationAnswer, presentAmount } from './explanation-answer.ts'
import type { Term } from './parts.ts'

/** Returns the number, computed from its terms; null where the read leaves it out. */
export function numberOf(
  { number }: Explanation,
  terms: Map<TermName, Term>,
  { days }: Range,
  isShown: boolean,
): Pick<ExplanationAnswer, 'number' | 'number_exact'> {
  const value = isShown ? number(name => terms.get(name)!.total, days) : null
  if (typeof value !== 'bigint') return { number: value }
  const shown = presentAmount(value)
  return typeof shown === 'number' ? { number: shown } : { number: null, number_exact: shown }
}

/** Returns the anchor of a heading of the documents. */
export const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-')

/** Returns the terms as the answer has them: in all and by bucket. */
export function presentTerms(terms: Map<TermName, Term>, labels: string[]) {
  const all = [...terms]
  const pick = (amountOf: (term: Term) => bigint | undefined) =>
    Object.fromEntries(
      all.flatMap(([name, term]) => {
        const value = amountOf(term)
        return value !== undefined ? [[name, presentAmount(value)]] : []
      }),
    )
  const isSome = (values: object) => Object.values(values).some(value => value !== 0)
  return {
    terms: pick(({ total }) => total),
    before: pick(({ before }) => before),
    overlap: pick(({ isDistinct, total, buckets }) =>
      isDistinct ? buckets.reduce((sum, part) => sum + part, 0n) - total : undefined,
    ),
    buckets: labels
      .map((start, index) => ({ start, values: pick(({ buckets }) => buckets[index]) }))
      .filter(({ values }) => isSome(values)),
  }
}
